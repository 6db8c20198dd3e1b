"""Which recordings does a project have, which functions do they weigh for a question? Read once, kept beside the index.

An entry of its own is kept for each recording under its path, size and time, so that a changed recording is read anew
and a damaged entry costs one reading. The recordings themselves are never touched.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from callsite.evidence.appmap.choose import Chosen, choose
from callsite.evidence.appmap.entry import Entry, entry_of, path_of
from callsite.evidence.appmap.found import RecordingFile, find_recordings, index_problem
from callsite.evidence.appmap.index_directory import read_index_directory
from callsite.evidence.appmap.items import Item, items_of
from callsite.evidence.appmap.kept import KeptEntries
from callsite.evidence.appmap.recording import read_recording
from callsite.evidence.appmap.weights import Weighted, location_weights
from callsite.evidence.values import DataRequest, Recorded
from callsite.index.prepared import last_part
from callsite.indexing.ages import Ages
from callsite.text.digest import digest
from callsite.text.question import Question
from callsite.text.words import Words
from callsite.types import KnownRecording, RecordingUse
from callsite.values import dataclass, replace

_MOST_CHOSEN = 10
_FULL_WEIGHT = 0.7  # from here on a function counts in full; no product of its factors comes much higher


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The recordings of a project; `entries` and `files` are of equal length."""

    entries: tuple[Entry, ...] = ()
    files: tuple[RecordingFile, ...] = ()
    stale: frozenset[int] = frozenset()  #: positions of those that are older than a file that they went through
    given: frozenset[int] = frozenset()  #: positions of those that the caller named one by one, not by their folder
    problems: tuple[str, ...] = ()

    def alone(self, n: int) -> Known:
        """The n-th recording, as if it had been named and there were no others."""
        stale = frozenset([0] if n in self.stale else ())
        return replace(self, entries=(self.entries[n],), files=(self.files[n],), stale=stale, given=frozenset([0]))


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
        self._words = words
        self._kept = KeptEntries(folder)

    def known(self, given: Sequence[str] = ()) -> Known:
        """All recordings of the project, or those at the paths given; what cannot be read is a problem."""
        found = find_recordings(self._root, given=given)
        named = {os.path.normpath(os.path.join(self._root, path)) for path in given}
        entries = tuple(self._entry(file) for file in found.recordings)
        if self._kept.has_grown and not given:
            self._kept.sweep(wanted={_key(_origin(file), file) for file in found.recordings})
        problems = [f"{entry.file}: {problem}" for entry in entries for problem in entry.problems]
        return Known(
            entries=entries,
            files=found.recordings,
            stale=_stale(self._root, entries, found.recordings),
            given=frozenset(n for n, file in enumerate(found.recordings) if {file.path, file.index} & named),
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
        if _origin(file) == "index":
            return self._kept.get(_key("index", file), lambda: read_index_directory(
                file.index, file=file.path, words=self._words).entry)  # fmt: skip
        return self._in_full(None, file)

    def _in_full(self, entry: Entry | None, file: RecordingFile) -> Entry:
        """The entry made of the recording itself: an index directory does not tell who called whom."""
        if file.gone or (entry is not None and entry.origin == "recording"):
            return entry or Entry(file=file.path, origin="index", name="", problems=("the recording is gone",))
        return self._kept.get(_key("recording", file), lambda: entry_of(read_recording(file.path), words=self._words))


def _origin(file: RecordingFile) -> str:
    """What an entry is made of first: index or recording."""
    return "index" if file.index and not index_problem(file) else "recording"


def _key(origin: str, file: RecordingFile) -> str:
    return digest("\0".join((origin, file.path, str(file.size), str(file.mtime_ns))))[:24]


def _stale(root: str, entries: Sequence[Entry], files: Sequence[RecordingFile]) -> frozenset[int]:
    """The positions of recordings that went through a file that was changed after them."""
    ages = Ages(root)

    def is_stale(entry: Entry, file: RecordingFile) -> bool:
        paths, commit = dict.fromkeys(map(path_of, entry.places)), entry.facts.commit
        return any(ages.is_changed(path, recorded_ns=file.mtime_ns, commit=commit) for path in paths)

    pairs = enumerate(zip(entries, files, strict=True))
    return frozenset(n for n, (entry, file) in pairs if not file.gone and is_stale(entry, file))


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
    return last_part(fqid.partition(":")[2]).split(" ")[0]


def _recorded(one: Weighted) -> Recorded:
    return Recorded(
        path=one.path,
        line=one.line,
        function=_own_name(one.fqid),
        weight=min(1.0, one.weight / _FULL_WEIGHT),
        said=one.sentence,
    )
