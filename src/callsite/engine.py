"""The facade: one method per use case. Every door calls only this."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from callsite import code, git
from callsite import settings as settings_room
from callsite.errors import IndexBusy, IndexUnusable, QueryError
from callsite.index.catalogue import Catalogue, Damaged
from callsite.index.format import CATALOGUE, LEXICAL
from callsite.index.home import cache_folder, index_folder
from callsite.index.lexical import Lexical, LexicalDamaged, Scope
from callsite.index.snapshot import Snapshot, View, view_named
from callsite.indexing.intake import Progress
from callsite.indexing.run import Limits, refresh
from callsite.indexing.stream import stream_chunks
from callsite.retrieval import pipeline
from callsite.retrieval.explain import explain_place
from callsite.settings import Settings
from callsite.text.matches import matches
from callsite.text.words import Words
from callsite.types import Answer, Chunk, Explanation, Freshness, Skipped

_T = TypeVar("_T")
MAX_HITS = 1_000


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
        self._clock = clock
        self._lock = threading.RLock()
        self._words = Words()
        self._catalogue: Catalogue | None = None
        self._lexical: Lexical | None = None
        self._pending: git.PendingState | None = pending or git.begin_state(source)
        self._notes: list[str] = [source.note] if source.note else []
        self.folder = index_folder(cache_folder(os.environ, settings.home), self._key())

    def _key(self) -> str:
        return self.source.key

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give everything back; the engine opens itself again when it is used again."""
        with self._lock:
            if self._catalogue is not None:
                self._catalogue.close()
            self._catalogue = self._lexical = self._pending = None

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
        their texts together have at most so many characters. languages, types: exact names. include, exclude: patterns
        as in .gitignore. update=False answers from what is indexed. Raises QueryError for filters that can't be meant,
        IndexBusy when there is nothing to answer from while another process indexes.
        """
        _check(question, n=n, budget=budget, types=types)
        with self._lock:
            return self._repairing(
                lambda: self._search(
                    question, n=n, budget=budget, languages=tuple(languages), include=include, exclude=exclude,
                    types=tuple(types), update=update, progress=progress,
                )
            )  # fmt: skip

    def _search(
        self,
        question: str,
        *,
        n: int,
        budget: int | None,
        languages: tuple[str, ...],
        include: Sequence[str],
        exclude: Sequence[str],
        types: tuple[str, ...],
        update: bool,
        progress: Progress | None,
    ) -> Answer:
        catalogue, lexical = self._open()
        view, notes = self._current_view(update=update, progress=progress)
        with catalogue.reading():
            snapshot = Snapshot(catalogue, lexical, view)
            scope = self._scope(snapshot, languages=languages, include=include, exclude=exclude, types=types)
            ranking = pipeline.rank(snapshot, question, self._words, scope=scope)
            hits = pipeline.answer(snapshot, ranking, n=n, budget=budget, types=types)
        return Answer(
            question=question,
            hits=tuple(hits),
            freshness=self._freshness(view, notes),
            terms=tuple(ranking.question.terms),
        )

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
        _check(question, n=1, budget=None, types=types)
        path, line = _parted(place)

        def explained(snapshot: Snapshot) -> Explanation:
            scope = self._scope(snapshot, languages=tuple(languages), include=include, exclude=exclude, types=tuple(types))
            ranking = pipeline.rank(snapshot, question, self._words, scope=scope)
            return explain_place(snapshot, ranking, self._words, path=path, line=line, types=tuple(types))

        return self._ask(explained)

    def matches(self, text: str, terms: Collection[str]) -> list[tuple[int, int]]:
        """Where a text holds terms of an answer: start and end of each word, in order; to make them visible."""
        return matches(text, terms, self._words)

    def index(self, *, progress: Progress | None = None) -> Freshness:
        """Bring the index up to date; what it shows then."""
        with self._lock:
            return self._repairing(lambda: self._freshness(*self._updated_view(progress)))

    def status(self) -> Freshness:
        """What the index shows, and how many files have changed since; changes nothing."""
        with self._lock:
            return self._repairing(lambda: self._freshness(*self._current_view(update=False, progress=None)))

    def skipped(self) -> list[Skipped]:
        """The files that are not searched, and why."""
        return [Skipped(path=path, reason=reason) for path, reason in self._ask(lambda shown: shown.skipped())]

    def files(self) -> list[str]:
        """The paths of the files that are searched."""

        def searched(snapshot: Snapshot) -> list[str]:
            out = {path for path, _ in snapshot.skipped()}
            return sorted(path for path in snapshot.paths().values() if path not in out)

        return self._ask(searched)

    def clear(self) -> Path:
        """Remove the index of this repository, for all its work trees; the folder that it was in."""
        with self._lock:
            self.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            return self.folder

    # parts

    def _ask(self, question: Callable[[Snapshot], _T]) -> _T:
        def asked() -> _T:
            catalogue, lexical = self._open()
            view, _ = self._updated_view(None)
            with catalogue.reading():
                return question(Snapshot(catalogue, lexical, view))

        with self._lock:
            return self._repairing(asked)

    def _open(self) -> tuple[Catalogue, Lexical]:
        if self._catalogue is None:
            self._catalogue = Catalogue(self.folder / CATALOGUE, maker=f"chunker {code.VERSION}")
        if self._lexical is None:
            self._lexical = Lexical(self.folder / LEXICAL)
        return self._catalogue, self._lexical

    def _repairing(self, attempt: Callable[[], _T]) -> _T:
        """Try; make a damaged part anew and try again. Everything in the index derives from the source."""
        try:
            return attempt()
        except Damaged as error:
            self.clear()
            self._notes.append(f"{error}: made again")
        except LexicalDamaged as error:
            self.close()
            shutil.rmtree(self.folder / LEXICAL, ignore_errors=True)
            self._notes.append(f"{error}: made again")
        return attempt()

    def _current_view(self, *, update: bool, progress: Progress | None) -> tuple[View, list[str]]:
        """The view to answer from; when another process writes for too long, the last complete one."""
        if update:
            try:
                return self._updated_view(progress)
            except IndexBusy:
                view = self._known_view()
                if view is None:
                    raise
                return view, ["another process is indexing; this answer is of the last complete state"]
        view = self._known_view()
        if view is None:
            raise IndexUnusable(f"{self.source.root} is not indexed yet; run `callsite index` or search without --no-index")
        return view, []

    def _updated_view(self, progress: Progress | None) -> tuple[View, list[str]]:
        catalogue, lexical = self._open()
        pending, self._pending = self._pending or git.begin_state(self.source), None
        limits = Limits(
            max_file_bytes=self.settings.max_file_size, n_workers=self.settings.n_workers, wait=self.settings.wait
        )
        done = refresh(
            self.source, pending, catalogue, lexical, self._words, now=self._clock(), limits=limits, progress=progress
        )
        lexical.reload_if_changed()
        return done.view, list(done.notes)

    def _known_view(self) -> View | None:
        catalogue, lexical = self._open()
        lexical.reload_if_changed()
        with catalogue.reading():
            return view_named(catalogue, self.source.view)

    def _scope(
        self, snapshot: Snapshot, *, languages: tuple[str, ...], include: Sequence[str], exclude: Sequence[str], types: tuple[str, ...]
    ) -> Scope:
        focus = self.source.focus
        is_file = bool(focus) and focus in snapshot.paths().values()
        only: Iterable[int] | None = None
        if include or exclude or is_file:
            only = _matching(snapshot, include=include, exclude=exclude, file=focus if is_file else "")
        return snapshot.scope(only=only, folder="" if is_file else focus, languages=languages, types=types)

    def _freshness(self, view: View, notes: Sequence[str]) -> Freshness:
        said = tuple(dict.fromkeys([*self._notes, *notes]))
        del self._notes[1 if self.source.note else 0 :]
        return Freshness(
            commit=view.head, branch=view.branch, n_files=view.n_files, n_changed=view.n_changed,
            n_skipped=view.n_skipped, notes=said,
        )  # fmt: skip


def chunks(paths: Iterable[str | os.PathLike[str]], **settings: Any) -> Iterator[Chunk | Skipped]:
    """The chunks of files, folders or repositories as they are now, without an index; skipped files with the reason."""
    for path in paths:
        source = git.discover(path)
        limit = settings_room.load(source.root, **settings).max_file_size
        yield from stream_chunks(source, max_file_bytes=limit)


def _parted(place: str) -> tuple[str, int]:
    """Path and line of `path:line`; line 0 without one."""
    path, _, line = place.rpartition(":")
    return (path, int(line)) if path and line.isdecimal() else (place, 0)


def _check(question: str, *, n: int, budget: int | None, types: Sequence[str]) -> None:
    from callsite.types import CHUNK_TYPES

    if not 1 <= n <= MAX_HITS:
        raise QueryError(f"the number of hits has to lie between 1 and {MAX_HITS}, not be {n}")
    if budget is not None and budget < 1:
        raise QueryError(f"a budget has to be at least one character, not {budget}")
    for type_ in types:
        if type_ not in CHUNK_TYPES:
            raise QueryError(f"there is no type {type_!r}; known are {', '.join(CHUNK_TYPES)}")


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
