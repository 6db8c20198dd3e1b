"""What does one view of the repository show at this moment? Lookups by id, name and path; all answers of one state."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping

from callsite.index.catalogue import Catalogue, inflate
from callsite.index.lexical import Lexical, Scope
from callsite.index.prepared import last_part, name_key
from callsite.text.words import fold
from callsite.values import dataclass

_SHOWN = (
    "SELECT path, file FROM base WHERE path NOT IN (SELECT path FROM overlays WHERE view = ?1)"
    " UNION ALL SELECT path, file FROM overlays WHERE view = ?1 AND file IS NOT NULL"
)
_MAX_DEFINITIONS = 2_000  # of one name; more say nothing
_MAX_SYMBOLS_READ = 10_000  # those that share a chunk with the name among them


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
class ChunkRow:
    """Where a chunk lies in its content."""

    ordinal: int
    type: str
    name: str
    first_line: int
    last_line: int
    start: int
    length: int
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A place that defines a name."""

    file: int
    ordinal: int
    line: int
    name: str
    kind: str
    depth: int


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

    def __init__(self, catalogue: Catalogue, lexical: Lexical, view: View) -> None:
        self.catalogue = catalogue
        self.lexical = lexical
        self.view = view
        self._paths: dict[int, str] | None = None
        self._hidden: frozenset[int] | None = None

    def hidden(self) -> frozenset[int]:
        """The files in the index that this view does not show: of other views, shadowed, or on their way out."""
        if self._hidden is None:
            rows = self.catalogue.rows(
                "SELECT id FROM files WHERE in_base = 0"
                " AND id NOT IN (SELECT file FROM overlays WHERE view = ?1 AND file IS NOT NULL)"
                " UNION SELECT b.file FROM overlays o JOIN base b ON b.path = o.path"
                " WHERE o.view = ?1 AND o.file IS NOT b.file UNION SELECT file FROM doomed",
                self.view.id,
            )
            self._hidden = frozenset(row[0] for row in rows)
        return self._hidden

    def paths(self) -> Mapping[int, str]:
        """All files that the view shows, skipped ones too: id → path."""
        if self._paths is None:
            rows = self.catalogue.rows(_SHOWN, self.view.id)
            self._paths = {file: os.fsdecode(path) for path, file in rows}
        return self._paths

    def files(self, ids: Iterable[int]) -> dict[int, File]:
        """The searchable ones among these files, as far as the view shows them."""
        hidden = self.hidden()
        rows = self.catalogue.rows_in(
            "SELECT f.id, f.path, f.content, f.shelves, c.digest, c.language, c.n_bytes FROM files f"
            " JOIN contents c ON c.id = f.content WHERE c.skip = '' AND f.id IN ({})",
            [file for file in ids if file not in hidden],
        )
        return {
            id: File(
                id=id, path=os.fsdecode(path), content=content, digest=digest, language=language, n_bytes=n_bytes,
                shelves=tuple(shelves.split()),
            )
            for id, path, content, shelves, digest, language, n_bytes in rows
        }  # fmt: skip

    def chunks(self, content: int) -> list[ChunkRow]:
        """All chunks of a content, in order."""
        return [
            ChunkRow(ordinal=o, type=t, name=n, first_line=f, last_line=u, start=s, length=b, signature=g)
            for o, t, n, f, u, s, b, g in self.catalogue.rows(
                "SELECT ordinal, type, name, first_line, last_line, start, length, signature FROM chunks"
                " WHERE content = ? ORDER BY ordinal",
                content,
            )
        ]

    def definitions(self, names: Iterable[str]) -> dict[str, list[Definition]]:
        """Where the view defines names: folded name → places."""
        hidden = self.hidden()
        found: dict[str, list[Definition]] = defaultdict(list)
        for folded in dict.fromkeys(map(fold, names)):
            for file, ordinal, line, name, kind, depth in self.catalogue.rows(
                "SELECT f.id, s.ordinal, s.line, s.name, s.kind, s.depth FROM names n JOIN symbols s"
                " ON s.content = n.content AND s.ordinal = n.ordinal JOIN files f ON f.content = n.content"
                " WHERE n.key = ? ORDER BY s.content, s.line LIMIT ?",
                name_key(folded),
                _MAX_SYMBOLS_READ,
            ):
                if file not in hidden and fold(last_part(name)) == folded and len(found[folded]) < _MAX_DEFINITIONS:
                    place = Definition(file=file, ordinal=ordinal, line=line, name=name, kind=kind, depth=depth)
                    found[folded].append(place)
        return found

    def symbols(self, content: int) -> dict[int, list[str]]:
        """The names that each chunk of a content defines: ordinal → qualified names."""
        found: dict[int, list[str]] = defaultdict(list)
        for ordinal, name in self.catalogue.rows(
            "SELECT ordinal, name FROM symbols WHERE content = ? ORDER BY line", content
        ):
            found[ordinal].append(name)
        return found

    def text(self, content: int) -> str:
        """The decoded text of a content."""
        (stored,) = self.catalogue.row("SELECT text FROM contents WHERE id = ?", content)
        return inflate(stored)

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
