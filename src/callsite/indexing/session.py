"""One index, open: brought up to date, repaired where it is damaged, asked in one consistent state.

Everything in an index derives from its source, so whatever is wrong with it is mended by making that part anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

from callsite import code, git
from callsite.errors import CallsiteError, IndexBusy, IndexUnusable
from callsite.index.catalogue import Catalogue, Damaged, Replaced, identity
from callsite.index.format import CATALOGUE, LEXICAL
from callsite.index.lexical import Lexical, LexicalDamaged
from callsite.index.recall import Recall
from callsite.index.snapshot import Snapshot, View, view_named
from callsite.indexing.fresh import Limits, Progress, refresh
from callsite.text.words import Words
from callsite.types import Freshness
from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Literal, TypeVar

    _T = TypeVar("_T")
    #: required: IndexBusy when another process writes for too long. preferred: then the last complete state will do.
    #: `none` changes nothing but counts what changed since; `unchecked` does not even ask git.
    Updating = Literal["required", "preferred", "none", "unchecked"]

_ATTEMPTS = 20  # one for each part; the others for processes that remove or mend the index meanwhile

_UNCHECKED = "not compared with the source"
_BUSY = "another process is indexing; this answer is of the last complete state"


class Session:
    """The index of a source in a folder. Threads may share it under their own lock."""

    def __init__(
        self,
        source: git.Source,
        folder: str,
        words: Words,
        *,
        limits: Limits,
        clock: Callable[[], float],
        pending: git.PendingState | None = None,
    ) -> None:
        self.folder = folder
        self._catalogue_path = os.path.join(folder, CATALOGUE)
        self._lexical_path = os.path.join(folder, LEXICAL)
        self._source = source
        self._words = words
        self._limits = limits
        self._clock = clock
        self._catalogue: Catalogue | None = None
        self._lexical: Lexical | None = None
        self._recall = Recall()
        self._repairs: list[str] = []
        self._pending = pending  # somebody has begun to find out the state, for the first question

    def close(self) -> None:
        """Give everything back; it opens itself again when it is used again."""
        if self._catalogue is not None:
            self._catalogue.close()
        self._catalogue = self._lexical = None

    def ask(
        self, question: Callable[[Snapshot], _T], *, updating: Updating, progress: Progress | None = None
    ) -> tuple[_T, Freshness]:
        """What a question finds in the source's view, and how fresh that view is."""
        return self._repairing(lambda: self._asked(question, updating, progress))

    def check(self) -> None:
        """Read every byte, and mend what is damaged before anything else notices."""
        self._repairing(self._require_sound)

    def clear(self) -> None:
        """Remove the index, while nobody writes. IndexBusy when another process doesn't let it go."""
        before = identity(self._catalogue_path)
        with suppress(Damaged, LexicalDamaged, Replaced):
            try:
                catalogue, _ = self._open()
                with catalogue.writing(wait=self._limits.wait):
                    self._remove_files()
            except IndexUnusable as error:
                if isinstance(error, IndexBusy):
                    raise
        self.close()
        if before is not None and identity(self._catalogue_path) == before:  # some systems keep what is open
            self._remove_files()
        if before is not None and identity(self._catalogue_path) == before:
            raise IndexBusy(f"another process is using the index {self.folder}; end it and try again")

    # asking

    def _asked(
        self, question: Callable[[Snapshot], _T], updating: Updating, progress: Progress | None
    ) -> tuple[_T, Freshness]:
        if updating == "unchecked":
            return self._asked_unchecked(question)
        pending = self._pending or git.begin_state(self._source)  # git works while the index is opened
        self._pending = None
        catalogue, lexical = self._open()
        notes: tuple[str, ...] = ()
        is_fresh = updating != "none"
        if is_fresh:
            try:
                notes = self._refreshed(pending, progress)
            except IndexBusy:
                if updating == "required" or not self._is_answerable():
                    raise
                notes, is_fresh = (_BUSY,), False
        with catalogue.reading():
            lexical.reload_if_changed()  # after the catalogue: it may know more files, never fewer
            view = self._view(updating)
            behind = 0 if is_fresh else self._n_behind(pending)
            found = question(Snapshot(catalogue, lexical, view, self._recall))
        return found, self._freshness(view, notes, behind)

    def _n_behind(self, pending: git.PendingState) -> int:
        from callsite.indexing.behind import n_behind

        catalogue, _ = self._open()
        return n_behind(self._source, pending.result(), catalogue, max_file_bytes=self._limits.max_file_bytes)

    def _asked_unchecked(self, question: Callable[[Snapshot], _T]) -> tuple[_T, Freshness]:
        catalogue, lexical = self._open()
        with catalogue.reading():
            lexical.reload_if_changed()
            view = self._view("unchecked")
            found = question(Snapshot(catalogue, lexical, view, self._recall))
        return found, self._freshness(view, (_UNCHECKED,), 0)

    def _refreshed(self, pending: git.PendingState, progress: Progress | None) -> tuple[str, ...]:
        catalogue, lexical = self._open()
        return refresh(
            self._source, pending, catalogue, lexical, self._words,
            now=self._clock(), limits=self._limits, progress=progress,
        ).notes  # fmt: skip

    def _is_answerable(self) -> bool:
        """Whether there is a complete state, however old."""
        catalogue, lexical = self._open()
        with catalogue.reading():
            lexical.reload_if_changed()
            return view_named(catalogue, self._source.view) is not None and self._is_complete()

    def _is_complete(self) -> bool:
        """Whether the lexical index, just reloaded, has all that the catalogue knows of."""
        catalogue, lexical = self._open()
        noted = catalogue.meta("stamps")
        return noted == lexical.shown or lexical.covers(noted)

    def _view(self, updating: Updating) -> View:
        catalogue, _ = self._open()
        view = view_named(catalogue, self._source.view)
        if updating in ("none", "unchecked") and (view is None or not self._is_complete()):
            state = "not indexed yet" if view is None else "not indexed completely"
            raise IndexUnusable(f"{self._source.root} is {state}; run `callsite index` or search without --no-index")
        if view is None:
            raise Replaced(f"the index {self.folder} was changed by another process")
        return view

    def _freshness(self, view: View, notes: tuple[str, ...], behind: int) -> Freshness:
        said = tuple(dict.fromkeys(filter(None, [self._source.note, *self._repairs, *notes])))
        self._repairs.clear()
        return Freshness(
            commit=view.head, branch=view.branch, n_files=view.n_files, n_changed=view.n_changed, n_behind=behind,
            n_skipped=view.n_skipped, notes=said,
        )  # fmt: skip

    # opening and mending

    def _open(self) -> tuple[Catalogue, Lexical]:
        catalogue = self._open_catalogue()
        if self._lexical is None:
            self._lexical = Lexical(self._lexical_path)
        return catalogue, self._lexical

    def _open_catalogue(self) -> Catalogue:
        if self._catalogue is None:
            self._catalogue = Catalogue(self._catalogue_path, maker=f"chunker {code.VERSION}")
            self._recall = Recall()
        return self._catalogue

    def _repairing(self, attempt: Callable[[], _T]) -> _T:
        """Try; make what is damaged anew and try again."""
        trouble: CallsiteError | None = None
        for _ in range(_ATTEMPTS):
            before = identity(self._catalogue_path)
            try:
                if trouble is not None:
                    self._mend(trouble)
                return attempt()
            except (Replaced, Damaged, LexicalDamaged) as error:
                is_same = identity(self._catalogue_path) == before
                trouble = error if is_same else Replaced(str(error))  # somebody else is mending it, or removed it
            except IndexUnusable as error:
                if isinstance(error, IndexBusy) or identity(self._catalogue_path) == before:
                    raise
                trouble = Replaced(str(error))  # the folder went while it was being opened
            except CallsiteError:
                raise
            except Exception as error:
                trouble = self._cause(error)
                if trouble is None:
                    raise
        raise trouble or IndexUnusable(f"the index {self.folder} can't be used")

    def _mend(self, trouble: CallsiteError) -> None:
        if isinstance(trouble, Damaged):
            self.close()
            _remove_catalogue(self._catalogue_path)
            self._repairs.append(f"{trouble}: made again")
        elif isinstance(trouble, LexicalDamaged):
            self._lexical = None
            self._remove_lexical()
            self._repairs.append(f"{trouble}: made again")
        else:
            self.close()

    def _remove_lexical(self) -> None:
        """First the catalogue says so: whoever opens an empty lexical index must not take it for the answer."""
        catalogue = self._open_catalogue()
        with catalogue.writing(wait=self._limits.wait):
            catalogue.set_meta("stamps", "")
        with catalogue.writing(wait=self._limits.wait):
            _remove_folder(self._lexical_path)

    def _cause(self, error: Exception) -> CallsiteError | None:
        """The damage that showed itself as an error of another kind: a row that is not there, a name that is none."""
        try:
            self._require_sound()
        except (Damaged, LexicalDamaged) as found:
            found.__cause__ = error
            return found
        except CallsiteError:
            return None
        return None

    def _require_sound(self) -> None:
        catalogue, lexical = self._open()
        with catalogue.reading():
            if said := catalogue.damage():
                raise Damaged(f"the index {catalogue.path} is damaged: {said}")
        with catalogue.writing(wait=self._limits.wait):
            if said := lexical.damage():
                raise LexicalDamaged(f"the lexical index is damaged: {said}")

    def _remove_files(self) -> None:
        _remove_catalogue(self._catalogue_path)
        _remove_folder(self.folder)


def _remove_folder(path: str) -> None:
    import shutil

    shutil.rmtree(path, ignore_errors=True)


def _remove_catalogue(path: str) -> None:
    """The log first: a new catalogue must not find the old one's."""
    for place in (f"{path}-wal", f"{path}-shm", path):
        with suppress(OSError):
            os.unlink(place)
