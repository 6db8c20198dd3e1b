"""What does one view of the repository show at this moment? Lookups by id, name and path; all answers of one state."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from callsite.index.catalogue import Catalogue
from callsite.index.lexical import Lexical
from callsite.index.outline import ChunkRow, Symbol
from callsite.index.prepared import form_parts, last_part, name_key, written_key
from callsite.index.query import Scope
from callsite.index.recall import Recall
from callsite.text.words import fold
from callsite.values import TYPE_CHECKING, dataclass

if TYPE_CHECKING:
    from typing import TypeVar

    _T = TypeVar("_T")

_SHOWN = (
    "SELECT path, id file FROM files WHERE in_base = 1 AND path NOT IN (SELECT path FROM overlays WHERE view = ?1)"
    " UNION ALL SELECT path, file FROM overlays WHERE view = ?1 AND file IS NOT NULL"
)
_MAX_DEFINITIONS = 2_000  # of one name; more say nothing
_MAX_NAMES_READ = 10_000  # hidden ones among them


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The record of a view, as the last change left it."""

    id: int
    signature: str
    head: str
    branch: str
    n_files: int
    n_changed: int
    n_skipped: int
    smallest: int  #: bytes of the smallest searchable file
    largest: int
    used_at: float  #: seconds since the epoch, to the day


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file that the view shows and that can be searched."""

    id: int
    path: str
    content: int
    digest: str
    language: str
    n_bytes: int
    shelves: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A place that defines a name. Names are known by their `written_key`."""

    file: int
    content: int
    ordinal: int
    written: int  #: the name itself
    owner: int  #: 0 for none
    is_nested: bool

    def is_of(self, owner: str) -> bool:
        return self.owner == written_key(owner)

    def is_written(self, name: str) -> bool:
        return self.written == written_key(name)


def view_named(catalogue: Catalogue, name: str) -> View | None:
    """The record of a view; None before its first indexing."""
    fields = (
        "id",
        "signature",
        "head",
        "branch",
        "n_files",
        "n_changed",
        "n_skipped",
        "smallest",
        "largest",
        "used_at",
    )
    row = catalogue.row(f"SELECT {', '.join(fields)} FROM views WHERE name = ?", name)
    return View(**dict(zip(fields, row, strict=True))) if row else None


class Snapshot:
    """Lookups in one view; to be used inside `Catalogue.reading`."""

    def __init__(self, catalogue: Catalogue, lexical: Lexical, view: View, recall: Recall | None = None) -> None:
        """`recall` holds what earlier snapshots of the same open catalogue read."""
        self.catalogue = catalogue
        self.lexical = lexical
        self.view = view
        self._recall = recall or Recall()
        self._state = (catalogue.state(), view.id)

    def once(self, make: Callable[[Snapshot], _T]) -> _T:
        """What a function makes of this state; asked for again, it is remembered."""
        return self._recall.follows(self._state, make, lambda: make(self))

    def hidden(self) -> frozenset[int]:
        """The files in the index that this view does not show: of other views, shadowed, or on their way out."""
        return self.once(_hidden)

    def paths(self) -> Mapping[int, str]:
        """All files that the view shows, skipped ones too: id → path."""
        return self.once(_paths)

    def files(self, ids: Iterable[int]) -> dict[int, File]:
        """The searchable ones among these files, as far as the view shows them."""
        hidden, known = self.hidden(), self._recall.files
        found: dict[int, File | None] = {}
        unread: list[int] = []
        for id in ids:
            if id not in hidden:
                file = known.get(id)
                if file is not None:
                    found[id] = file
                elif id not in known:
                    unread.append(id)
        found |= self._read_files(unread)
        return {id: file for id, file in found.items() if file is not None}

    def _read_files(self, ids: list[int]) -> dict[int, File | None]:
        if not ids:
            return {}
        rows = self.catalogue.rows_in(
            "SELECT f.id, f.path, f.content, f.shelves, c.digest, c.language, c.n_bytes FROM files f"
            " JOIN contents c ON c.id = f.content WHERE c.skip = '' AND f.id IN ({})",
            ids,
        )
        files = {row[0]: _file(*row) for row in rows}
        return {id: self._recall.files.keep(id, files.get(id)) for id in ids}

    def chunks(self, content: int) -> list[ChunkRow]:
        """All chunks of a content, in order."""
        return self._outline(content)[0]

    def symbols(self, content: int) -> list[Symbol]:
        """What the chunks of a content define, in order."""
        return self._outline(content)[1]

    def _outline(self, content: int) -> tuple[list[ChunkRow], list[Symbol]]:
        if (known := self._recall.outlines.get(content)) is not None:
            return known
        (stored,) = self.catalogue.row("SELECT outline FROM contents WHERE id = ?", content)
        found = self.catalogue.outline(stored)
        return self._recall.outlines.keep(content, found, size=len(found[0]))

    def line(self, place: Definition, name: str) -> int:
        """The line on which a name is defined at a place, 0 when it is not."""
        symbols = self.symbols(place.content)
        return next((line for n, line, own, _ in symbols if n == place.ordinal and last_part(own) == name), 0)

    def lines(self, content: int) -> list[str]:
        """The lines of the decoded text of a content."""
        if (known := self._recall.lines.get(content)) is not None:
            return known
        lines = self.text(content).split("\n")
        return self._recall.lines.keep(content, lines, size=len(lines))

    def definitions(self, names: Iterable[str]) -> dict[str, list[Definition]]:
        """Where the view defines names: folded name → places."""
        hidden = self.hidden()
        found: dict[str, list[Definition]] = defaultdict(list)
        for folded in dict.fromkeys(map(fold, names)):
            for file, content, ordinal, form in self.catalogue.rows(
                "SELECT f.id, f.content, n.ordinal, n.form FROM names n JOIN files f ON f.content = n.content"
                " WHERE n.key = ? ORDER BY n.content, n.ordinal LIMIT ?",
                name_key(folded),
                _MAX_NAMES_READ,
            ):
                if file not in hidden and len(found[folded]) < _MAX_DEFINITIONS:
                    written, owner, is_nested = form_parts(form)
                    place = Definition(
                        file=file, content=content, ordinal=ordinal, written=written, owner=owner, is_nested=is_nested
                    )
                    found[folded].append(place)
        return found

    def text(self, content: int) -> str:
        """The decoded text of a content."""
        (stored,) = self.catalogue.row("SELECT text FROM contents WHERE id = ?", content)
        return self.catalogue.inflate(stored)

    def skipped(self) -> list[tuple[str, str]]:
        """The files that the view shows and that are not searched, with the reason, by path."""
        rows = self.catalogue.rows(
            "SELECT f.path, f.skip || ifnull(c.skip, '') FROM ("
            + _SHOWN
            + ") shown JOIN files f ON f.id = shown.file LEFT JOIN contents c ON c.id = f.content"
            " WHERE f.skip != '' OR c.skip != '' ORDER BY f.path",
            self.view.id,
        )
        return [(os.fsdecode(path), reason) for path, reason in rows]

    def scope(
        self,
        *,
        only: Iterable[int] | None = None,
        folder: str = "",
        languages: tuple[str, ...] = (),
        types: tuple[str, ...] = (),
    ) -> Scope:
        """The limits of a search in this view."""
        chosen = None if only is None else sorted(only)
        is_ahead = self.lexical.shown != self.catalogue.meta("stamps")
        return Scope(
            hidden=sorted(self.hidden()),
            newest=self.catalogue.last_id("files") if is_ahead else None,
            only=chosen,
            folder=folder,
            languages=languages,
            types=types,
        )


def _file(id: int, path: bytes, content: int, shelves: str, digest: bytes, language: str, n_bytes: int) -> File:
    return File(
        id=id, path=os.fsdecode(path), content=content, digest=digest.hex(), language=language, n_bytes=n_bytes,
        shelves=tuple(shelves.split()),
    )  # fmt: skip


def _hidden(snapshot: Snapshot) -> frozenset[int]:
    rows = snapshot.catalogue.rows(
        "SELECT id FROM files WHERE in_base = 0"
        " AND id NOT IN (SELECT file FROM overlays WHERE view = ?1 AND file IS NOT NULL)"
        " UNION SELECT f.id FROM overlays o JOIN files f ON f.key = o.key AND f.path = o.path AND f.in_base = 1"
        " WHERE o.view = ?1 AND o.file IS NOT f.id UNION SELECT file FROM doomed",
        snapshot.view.id,
    )
    return frozenset(row[0] for row in rows)


def _paths(snapshot: Snapshot) -> dict[int, str]:
    return {file: os.fsdecode(path) for path, file in snapshot.catalogue.rows(_SHOWN, snapshot.view.id)}
