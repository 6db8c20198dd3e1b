"""The facade: one method per use case. Every door calls only this."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from callsite import git
from callsite import settings as settings_room
from callsite.errors import QueryError
from callsite.index.home import cache_folder, index_folder
from callsite.index.query import Scope
from callsite.index.snapshot import Snapshot
from callsite.indexing.fresh import Limits, Progress
from callsite.indexing.session import Session
from callsite.retrieval import pipeline
from callsite.settings import Settings
from callsite.text.matches import matches
from callsite.text.paths import PathTerms
from callsite.text.words import Words
from callsite.types import (
    DATA_REQUEST,
    Answer,
    Chunk,
    Explanation,
    Freshness,
    Hit,
    KnownRecording,
    Skipped,
    Understood,
)
from callsite.values import TYPE_CHECKING, replace

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, TypeVar

    from callsite.evidence.values import Recorded
    from callsite.indexing.recordings import Known, Recordings, Weighed
    from callsite.indexing.session import Updating
    from callsite.text.question import Question

    _T = TypeVar("_T")
    _Found = tuple[tuple[Hit, ...], tuple[str, ...], tuple[str, ...]]  # hits, terms, problems

MAX_HITS = 1_000
CONTEXT_CHARACTERS = 16_000
_SPARE_FILES = 3  # beyond the hits asked for, since neighbouring spans merge
_MIN_FILES = 30  # when chunks compete for a budget, or a filter by type leaves files empty


class Engine:
    """Search in one source of code. A context manager; threads may share it.

    Everything is brought up to date by the call that asks; nothing runs in between.
    """

    def __init__(
        self,
        source: git.Source,
        settings: Settings,
        *,
        pending: git.PendingState | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.source = source
        self.settings = settings
        self._lock = threading.RLock()
        self._words = Words()
        self._path_terms = PathTerms(self._words)
        self._recordings: Recordings | None = None
        self.folder = index_folder(cache_folder(os.environ, settings.home), self._key())
        limits = Limits(max_file_bytes=settings.max_file_size, n_workers=settings.n_workers, wait=settings.wait)
        self._index = Session(source, self.folder, self._words, limits=limits, clock=clock, pending=pending)

    def _key(self) -> str:
        return (self.settings.share_clones and git.clone_key(self.source)) or self.source.key

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give everything back; the engine opens itself again when it is used again."""
        with self._lock:
            self._index.close()

    def search(
        self,
        question: str,
        *,
        n: int = 10,
        budget: int | None = None,
        languages: Sequence[str] = (),
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        types: Sequence[str] = (),
        update: bool = True,
        progress: Progress | None = None,
    ) -> Answer:
        """The code that answers a question, best first.

        question: anything: words, a name, a path, code, a whole report. n: at most so many hits (1 to 1,000). budget:
        their texts together have at most so many characters. languages: names or extensions. include, exclude: patterns
        as in .gitignore. types: exact names. update=False answers from what is indexed. Raises QueryError for filters
        that can't be meant, IndexBusy when there is nothing to answer from while another process indexes.
        """
        _check(n=n, budget=budget, types=types, lists=(languages, include, exclude, types))
        spoken = [_language(name) for name in languages]

        def searched(snapshot: Snapshot) -> _Found:
            scope = self._scope(snapshot, languages=spoken, include=include, exclude=exclude, types=types)
            limit = n + _SPARE_FILES if budget is None and not types else max(n, _MIN_FILES)
            ranking = pipeline.rank(snapshot, question, self._words, self._path_terms, scope=scope, limit=limit)
            hits = pipeline.answer(snapshot, ranking, n=n, budget=budget, types=tuple(types))
            return tuple(hits), ranking.question.said, ranking.found.problems

        (hits, terms, problems), freshness = self._asked(searched, update=update, progress=progress)
        if problems:
            freshness = replace(freshness, notes=(*freshness.notes, *problems))
        return Answer(question=question, hits=hits, freshness=freshness, terms=terms)

    def context(
        self,
        question: str,
        *,
        evidence: Sequence[str] = (),
        recordings: Sequence[str] = (),
        budget: int = CONTEXT_CHARACTERS,
        n: int = MAX_HITS,
        languages: Sequence[str] = (),
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        types: Sequence[str] = (),
        update: bool = True,
        progress: Progress | None = None,
    ) -> Answer:
        """The code that matters for a question and what is known of a run, packed into a budget of characters.

        evidence: texts that belong to the question: stack traces, output of tests, error messages. recordings: AppMap
        recordings, which all count, and folders of them or patterns, which are chosen from; relative to the root of the
        source. Without, those that the project keeps are chosen from. The others are as for `search`.
        """
        _check(n=n, budget=budget, types=types, lists=(languages, include, exclude, types, evidence, recordings))
        spoken = [_language(name) for name in languages]
        keeper, known = self._known_recordings(recordings)
        weighed: list[Weighed] = []

        def recorded(understood: Question) -> tuple[Recorded, ...]:
            weighed[:] = [keeper.weigh(known, understood)]
            return weighed[0].recorded

        def searched(snapshot: Snapshot) -> _Found:
            scope = self._scope(snapshot, languages=spoken, include=include, exclude=exclude, types=types)
            ranking = pipeline.rank(
                snapshot,
                question,
                self._words,
                self._path_terms,
                scope=scope,
                evidence=evidence,
                recorded=recorded,
                limit=_MIN_FILES,
            )
            hits = pipeline.answer(snapshot, ranking, n=n, budget=budget, types=tuple(types))
            if weighed[0].requests and (not types or DATA_REQUEST in types):
                from callsite.retrieval.requests import merged, request_hits

                asked = ranking.question.terms
                requests = request_hits(snapshot, weighed[0].requests, asked, self._words, scope=scope)
                hits = merged(hits, requests, n=n, budget=budget)
            return tuple(hits), ranking.question.said, ranking.found.problems

        (hits, terms, problems), freshness = self._asked(searched, update=update, progress=progress)
        uses = weighed[0].uses
        notes = (*freshness.notes, *known.problems, *problems)
        return Answer(
            question=question, hits=hits, freshness=replace(freshness, notes=notes), terms=terms, recordings=uses
        )

    def recordings(self, given: Sequence[str] = ()) -> list[KnownRecording]:
        """The AppMap recordings that the project keeps, or those at the paths given, and what each would add."""
        keeper, known = self._known_recordings(given)
        if known.problems and not known.entries:
            raise QueryError("; ".join(known.problems))
        return keeper.listed(known)

    def evidence(self, text: str = "", *, recordings: Sequence[str] = ()) -> tuple[Understood, ...]:
        """What is understood of a text with traces or failing tests, or of recordings, and where each place lies."""
        from callsite.evidence.traces.run import read_run
        from callsite.retrieval.landing import land_recorded, land_run
        from callsite.text.question import understand

        def landed(snapshot: Snapshot) -> tuple[Understood, ...]:
            found = list(land_run(snapshot, read_run(text), self._words))
            for path in recordings:
                keeper, known = self._known_recordings([path])
                if not known.entries:
                    raise QueryError("; ".join(known.problems) or f"no recording lies at {path}")
                for n, entry in enumerate(known.entries):
                    functions = keeper.weigh(known.alone(n), understand("", self._words)).recorded
                    found.append(
                        Understood(
                            kind="recording",
                            title=entry.name,
                            language=entry.facts.language,
                            landings=land_recorded(snapshot, functions),
                            problems=entry.problems,
                        )
                    )
            return tuple(found)

        return self._ask(landed)

    def explain(
        self,
        question: str,
        place: str,
        *,
        languages: Sequence[str] = (),
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        types: Sequence[str] = (),
    ) -> Explanation:
        """Why `place` (a path of this source, or `path:line`) is or is not in the answer to a question."""
        _check(n=1, budget=None, types=types, lists=(languages, include, exclude, types))
        spoken = [_language(name) for name in languages]
        path, line = _parted(place)
        from callsite.retrieval.explain import explain_place

        def explained(snapshot: Snapshot) -> Explanation:
            scope = self._scope(snapshot, languages=spoken, include=include, exclude=exclude, types=types)
            ranking = pipeline.rank(snapshot, question, self._words, self._path_terms, scope=scope)
            return explain_place(snapshot, ranking, self._words, path=path, line=line, types=tuple(types))

        return self._ask(explained)

    def matches(self, text: str, terms: Collection[str]) -> list[tuple[int, int]]:
        """Where a text holds terms of an answer: start and end of each word, in order; to make them visible."""
        return matches(text, terms, self._words)

    def index(self, *, progress: Progress | None = None) -> Freshness:
        """Check every byte of the index, mend it and bring it up to date; what it shows then."""
        with self._lock:
            self._index.check()
            return self._index.ask(_nothing, updating="required", progress=progress)[1]

    def status(self) -> Freshness:
        """What the index shows, and how many files have changed since; changes nothing."""
        with self._lock:
            return self._index.ask(_nothing, updating="none")[1]

    def skipped(self) -> list[Skipped]:
        """The files that are not searched, and why; below the folder that was opened."""
        skipped = self._ask(lambda shown: shown.skipped())
        return [Skipped(path=path, reason=reason) for path, reason in skipped if self._is_in_focus(path)]

    def files(self) -> list[str]:
        """The paths of the files that are searched, below the folder that was opened."""

        def searched(snapshot: Snapshot) -> list[str]:
            out = {path for path, _ in snapshot.skipped()}
            return sorted(path for path in snapshot.paths().values() if path not in out and self._is_in_focus(path))

        return self._ask(searched)

    def clear(self) -> Path:
        """Remove the index of this repository, for all its work trees; the folder that it was in."""
        with self._lock:
            self._index.clear()
        from pathlib import Path

        return Path(self.folder)

    # parts

    def _known_recordings(self, given: Sequence[str]) -> tuple[Recordings, Known]:
        from callsite.indexing.recordings import Known, Recordings

        if self._recordings is None:
            self._recordings = Recordings(self.source.root, os.path.join(self.folder, "recordings"), self._words)
        has_files = self.source.kind != "bare" and not self.source.commit
        return self._recordings, self._recordings.known(given) if has_files or given else Known()

    def _is_in_focus(self, path: str) -> bool:
        return not self.source.focus or f"{path}/".startswith(f"{self.source.focus}/")

    def _asked(
        self, question: Callable[[Snapshot], _T], *, update: bool, progress: Progress | None
    ) -> tuple[_T, Freshness]:
        with self._lock:
            updating: Updating = "preferred" if update else "unchecked"
            return self._index.ask(question, updating=updating, progress=progress)

    def _ask(self, question: Callable[[Snapshot], _T]) -> _T:
        return self._asked(question, update=True, progress=None)[0]

    def _scope(
        self,
        snapshot: Snapshot,
        *,
        languages: Sequence[str],
        include: Sequence[str],
        exclude: Sequence[str],
        types: Sequence[str],
    ) -> Scope:
        focus = self.source.focus
        is_file = bool(focus) and focus in snapshot.paths().values()
        only: Iterable[int] | None = None
        if include or exclude or is_file:
            only = _matching(snapshot, include=include, exclude=exclude, file=focus if is_file else "")
        return snapshot.scope(
            only=only, folder="" if is_file else focus, languages=tuple(languages), types=tuple(types)
        )


def _nothing(_snapshot: Snapshot) -> None:
    return None


def chunks(paths: Iterable[str | os.PathLike[str]], **settings: Any) -> Iterator[Chunk | Skipped]:
    """The chunks of files, folders or repositories as they are now, without an index; skipped files with the reason."""
    from callsite.indexing.stream import stream_chunks

    for path in paths:
        source = git.discover(path)
        limit = settings_room.load(source.root, **settings).max_file_size
        yield from stream_chunks(source, max_file_bytes=limit)


def _parted(place: str) -> tuple[str, int]:
    """Path and line of `path:line`; line 0 without one."""
    path, _, line = place.rpartition(":")
    return (path, int(line[:9])) if path and line.isdecimal() else (place, 0)


def _check(*, n: int, budget: int | None, types: Sequence[str], lists: Sequence[Sequence[str]]) -> None:
    from callsite.types import CHUNK_TYPES, DATA_REQUEST

    for texts in lists:
        if isinstance(texts, str):  # its letters would be taken for patterns, `*` among them
            raise QueryError(f"a filter is a list of texts: [{texts[:40]!r}], not {texts[:40]!r}")
    if not 1 <= n <= MAX_HITS:
        raise QueryError(f"the number of hits has to lie between 1 and {MAX_HITS}, not be {n}")
    if budget is not None and budget < 1:
        raise QueryError(f"a budget has to be at least one character, not {budget}")
    for type_ in types:
        if type_ not in (*CHUNK_TYPES, DATA_REQUEST):
            raise QueryError(f"there is no type {type_!r}; known are {', '.join((*CHUNK_TYPES, DATA_REQUEST))}")


def _language(name: str) -> str:
    from callsite.code.languages import LANGUAGES, language_named

    if found := language_named(name):
        return found
    from difflib import get_close_matches

    near = get_close_matches(name[:20].lower(), LANGUAGES) or ["python", "typescript", "go", "cpp"]
    raise QueryError(f"there is no language {name[:40]!r}; near are {', '.join(near)}")


def _matching(snapshot: Snapshot, *, include: Sequence[str], exclude: Sequence[str], file: str) -> list[int]:
    """The files whose path the patterns choose."""
    from pathspec import GitIgnoreSpec

    try:
        wanted, unwanted = GitIgnoreSpec.from_lines(include), GitIgnoreSpec.from_lines(exclude)
    except ValueError as error:
        raise QueryError(f"a path pattern can't be read: {error}") from error
    return [
        id
        for id, path in snapshot.paths().items()
        if (not file or path == file)
        and (not include or wanted.match_file(path))
        and not (exclude and unwanted.match_file(path))
    ]
