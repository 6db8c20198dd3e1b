"""A small index without any source: contents are made by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from callsite.index.catalogue import Catalogue
from callsite.index.lexical import FileTerms, Lexical
from callsite.index.outline import ChunkRow, packed
from callsite.index.prepared import Prepared, chunk_terms, deflate, last_part, name_form, name_key
from callsite.index.snapshot import Snapshot, view_named
from callsite.index.update import Shadow, Update
from callsite.text.words import Words, fold

WORDS = Words()


def content(text: str, *, symbols: tuple[str, ...] = (), language: str = "python", skip: str = "") -> Prepared:
    """A content of one chunk for each line, whose digest are its bytes; the n-th symbol is in the n-th chunk."""
    if skip:
        return Prepared(path="?", digest=text.encode().hex(), hint=language, n_bytes=len(text), skip=skip)
    lines = text.split("\n")
    spans = [(n, n) for n in range(1, len(lines) + 1)]
    names = [list(symbols[n : n + 1]) for n in range(len(lines))]
    defined = [(n, n + 1, name, "function") for n, name in enumerate(symbols)]
    return Prepared(
        path="?",
        digest=text.encode().hex(),
        hint=language,
        language=language,
        encoding="utf-8",
        n_bytes=len(text),
        text=deflate(text),
        outline=deflate(packed(list(map(_row, range(len(lines)), lines)), defined)),
        names=sorted(
            (name_key(fold(last_part(name))), n, name_form(name, is_nested=False)) for n, name in enumerate(symbols)
        ),
        terms=[("lines", *found) for found in chunk_terms(text, [("", *span) for span in spans], names, WORDS)],
    )


def _row(n: int, line: str) -> ChunkRow:
    return ChunkRow(
        ordinal=n, type="lines", name="", first_line=n + 1, last_line=n + 1, start=0, length=len(line) + 1, signature=""
    )


class Index:
    """Both parts in one folder."""

    def __init__(self, folder: Path) -> None:
        self.catalogue = Catalogue(str(folder / "catalogue.sqlite"), maker="test")
        self.lexical = Lexical(str(folder / "lexical"))
        self.now = 1_000_000.0

    @contextmanager
    def update(self) -> Iterator[Update]:
        with self.catalogue.writing(wait=0), Update(self.catalogue, self.lexical, WORDS, now=self.now) as update:
            yield update

    def add(self, files: Mapping[str, Prepared]) -> dict[str, int]:
        """Files with these contents, shown by no view yet; path → id."""
        with self.update() as update:
            ids = update.add_contents(files.values())
            return update.add_files((path, ids[p.digest, p.hint], "") for path, p in files.items())

    def base(self, files: Mapping[str, Prepared], *, commit: str = "1", removed: tuple[str, ...] = ()) -> None:
        """Move the base: it shows these files too."""
        ids = self.add(files)
        with self.update() as update:
            update.set_base(commit, changed=ids, removed=removed, rules="", view="")

    def view(self, name: str, files: Mapping[str, Prepared | None] | None = None, *, root: str = "/") -> None:
        """A view: the base, shadowed by these files; None for a removed one."""
        ids = self.add({path: p for path, p in (files or {}).items() if p is not None})
        with self.update() as update:
            overlay = {path: Shadow(ids.get(path)) for path in files or {}}
            update.set_view(
                name, root=root, signature="s", head="h", branch="b", overlay=overlay, n_changed=len(overlay)
            )

    @contextmanager
    def snapshot(self, name: str) -> Iterator[Snapshot]:
        with self.catalogue.reading():
            self.lexical.reload_if_changed()
            view = view_named(self.catalogue, name)
            assert view is not None
            yield Snapshot(self.catalogue, self.lexical, view)

    def shown(self, name: str) -> dict[str, str]:
        """Path → text of what a view shows and lets be searched."""
        with self.snapshot(name) as snapshot:
            return {file.path: snapshot.text(file.content) for file in snapshot.files(snapshot.paths()).values()}

    def found(self, name: str, word: str) -> list[str]:
        """The paths of the files with a word, best first."""
        with self.snapshot(name) as snapshot:
            found = snapshot.lexical.search_files({word: 1.0}, field="words", scope=snapshot.scope(), limit=100)
            paths = snapshot.paths()
            return [paths[file] for file in found]


def terms(
    file: int, *chunks: tuple[str, str], path: str = "", language: str = "python", folders: tuple[str, ...] = ()
) -> FileTerms:
    """A file for the lexical index: chunks as (words, symbols)."""
    return FileTerms(
        file=file, path=path, language=language, folders=folders, chunks=[("function", *both, "") for both in chunks]
    )
