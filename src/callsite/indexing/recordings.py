"""Which recordings does a project have, which functions do they weigh for a question? Read once, kept beside the index.

An entry of its own is kept for each recording, a file named by path, size and time, so that a changed recording is read
anew and a damaged entry costs one reading. The recordings themselves are never touched.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress

from callsite.evidence.appmap.choose import Chosen, choose
from callsite.evidence.appmap.entry import Entry, entry_of
from callsite.evidence.appmap.found import RecordingFile, find_recordings, index_problem
from callsite.evidence.appmap.index_directory import read_index_directory
from callsite.evidence.appmap.items import Item, items_of
from callsite.evidence.appmap.recording import read_recording
from callsite.evidence.appmap.storage import entry_from_bytes, entry_to_bytes
from callsite.evidence.appmap.weights import Weighted, location_weights
from callsite.evidence.values import DataRequest, Recorded
from callsite.text.digest import digest
from callsite.text.question import Question
from callsite.text.words import Words
from callsite.types import KnownRecording, RecordingUse
from callsite.values import dataclass

_MOST_CHOSEN = 10
_FULL_WEIGHT = 0.5  # from here on a function counts in full; no product of its factors comes much higher


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The recordings of a project; `entries` and `files` are of equal length."""

    entries: tuple[Entry, ...] = ()
    files: tuple[RecordingFile, ...] = ()
    stale: frozenset[int] = frozenset()  #: positions of those that are older than a file that they went through
    given: frozenset[int] = frozenset()  #: positions of those that the caller named one by one, not by their folder
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What recordings say for one question."""

    recorded: tuple[Recorded, ...] = ()
    requests: tuple[DataRequest, ...] = ()
    uses: tuple[RecordingUse, ...] = ()  #: the recordings themselves, best first


class Recordings:
    """The recordings of one project, for as long as an engine is open."""

    def __init__(self, root: str, folder: str, words: Words) -> None:
        self._root = root
        self._folder = folder
        self._words = words
        self._entries: dict[str, Entry] = {}

    def known(self, given: Sequence[str] = ()) -> Known:
        """All recordings of the project, or those at the paths given; what cannot be read is a problem."""
        found = find_recordings(self._root, given=given)
        named = {os.path.normpath(os.path.join(self._root, path)) for path in given}
        entries = tuple(self._entry(file) for file in found.recordings)
        problems = [f"{entry.file}: {problem}" for entry in entries for problem in entry.problems]
        return Known(
            entries=entries,
            files=found.recordings,
            stale=frozenset(n for n, file in enumerate(found.recordings) if self._is_stale(entries[n], file)),
            given=frozenset(n for n, file in enumerate(found.recordings) if file.path in named),
            problems=(*found.problems, *problems),
        )

    def weigh(self, known: Known, question: Question) -> Weighed:
        """What the recordings that a question asks for say of it."""
        chosen = choose(known.entries, question.terms, at_most=_MOST_CHOSEN, given=known.given, stale=known.stale)
        entries = list(known.entries)
        for one in chosen:
            entries[one.position] = self._in_full(entries[one.position], known.files[one.position])
        weighted = location_weights(chosen, entries)
        return Weighed(
            recorded=tuple(map(_recorded, weighted)),
            requests=tuple(_request(item, chosen, entries) for item in items_of([c.position for c in chosen], entries)),
            uses=tuple(_use(one, known) for one in chosen),
        )

    def listed(self, known: Known) -> list[KnownRecording]:
        """What is known of each recording."""
        return [self._listed(n, entry, file, known) for n, (entry, file) in enumerate(zip(
            known.entries, known.files, strict=True))]  # fmt: skip

    def _listed(self, n: int, entry: Entry, file: RecordingFile, known: Known) -> KnownRecording:
        return KnownRecording(
            path=entry.file,
            name=entry.name,
            state="gone" if file.gone else "out of date" if n in known.stale else "fresh",
            n_functions=len(entry.places),
            n_exceptions=len(entry.exceptions),
            n_requests=len(entry.requests),
            n_queries=len(entry.queries),
            test_status=entry.facts.test_status,
            problems=entry.problems,
        )

    def _entry(self, file: RecordingFile) -> Entry:
        if file.index and not index_problem(file):
            return self._kept(file, "index", lambda: read_index_directory(
                file.index, file=file.path, words=self._words).entry)  # fmt: skip
        return self._in_full(None, file)

    def _in_full(self, entry: Entry | None, file: RecordingFile) -> Entry:
        """The entry made of the recording itself: an index directory does not tell who called whom."""
        if file.gone or (entry is not None and entry.origin == "recording"):
            return entry or Entry(file=file.path, origin="index", name="", problems=("the recording is gone",))
        return self._kept(file, "recording", lambda: entry_of(read_recording(file.path), words=self._words))

    def _kept(self, file: RecordingFile, kind: str, make: Callable[[], Entry]) -> Entry:
        key = digest("\0".join((kind, file.path, str(file.size), str(file.mtime_ns))))[:24]
        if key in self._entries:
            return self._entries[key]
        place = os.path.join(self._folder, f"{key}.entry")
        entry = _stored(place)
        if entry is None:
            entry = make()
            _store(place, entry)
        self._entries[key] = entry
        return entry

    def _is_stale(self, entry: Entry, file: RecordingFile) -> bool:
        """Whether a file that the recording went through was changed after it."""
        paths = {place.split("\t", 1)[0] for place in entry.places}
        return not file.gone and any(_changed_at(self._root, path) > file.mtime_ns for path in paths if path)


def _changed_at(root: str, path: str) -> int:
    try:
        return os.stat(os.path.join(root, path)).st_mtime_ns
    except (OSError, ValueError):
        return 0


def _stored(place: str) -> Entry | None:
    try:
        with open(place, "rb") as file:
            return entry_from_bytes(file.read())
    except OSError:
        return None


def _store(place: str, entry: Entry) -> None:
    """Whole or not at all; without room it is made again next time."""
    with suppress(OSError):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        partial = f"{place}.{os.getpid()}"
        with open(partial, "wb") as file:
            file.write(entry_to_bytes(entry))
        os.replace(partial, place)


def _use(one: Chosen, known: Known) -> RecordingUse:
    entry = known.entries[one.position]
    return RecordingUse(
        path=entry.file, name=entry.name, score=one.score, is_stale=one.stale, matched=one.matched,
        n_alike=len(one.twins), reasons=one.reasons,
    )  # fmt: skip


def _request(item: Item, chosen: Sequence[Chosen], entries: Sequence[Entry]) -> DataRequest:
    best = max((one for one in chosen if one.position in item.positions), key=lambda one: one.score)
    functions = [
        Recorded(path=one.path, line=one.line, function=_own_name(one.fqid), weight=0.0) for one in item.functions
    ]
    return DataRequest(
        kind=item.kind, title=item.title, text=item.text, file=item.file, event=item.event,
        recording=entries[best.position].name, weight=best.score, functions=tuple(functions),
    )  # fmt: skip


def _own_name(fqid: str) -> str:
    """`method` of `function:package/Class#method (get)`."""
    return fqid.partition(":")[2].replace("#", ".").rpartition(".")[2].split(" ")[0]


def _recorded(one: Weighted) -> Recorded:
    return Recorded(
        path=one.path,
        line=one.line,
        function=_own_name(one.fqid),
        weight=min(1.0, one.weight / _FULL_WEIGHT),
        said=one.sentence,
    )
