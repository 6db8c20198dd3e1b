"""One change of an index: contents and files come in, a view is set, what nobody shows goes. The lock must be held.

The order that makes a crash harmless: documents are added to the lexical index and committed there, then the catalogue
commits; files that go are noted as doomed, the catalogue commits, and their documents are removed by the next change.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping

from callsite.index.catalogue import Catalogue, Damaged
from callsite.index.lexical import FileTerms, Lexical, Writing
from callsite.index.prepared import ChunkTerms, Prepared, chunk_terms, chunk_types, path_key
from callsite.index.tally import forget_base, tally, tally_of_base
from callsite.text.paths import name_and_folder_terms, shelves
from callsite.text.words import Words
from callsite.values import dataclass

_MANY_DOOMED = 500  # fewer wait for the next change that writes documents anyway: a commit of their own costs 15 ms
_MANY_REMOVED = 20_000  # chunks; from here on, when they outnumber the others, the room is worth a rebuild
_FILES_PER_STEP = 500  # while the lexical index is made again


@dataclass(frozen=True, slots=True)
class Shadow:
    """What a view shows in place of the base's file: another, or none. `stat` lets an untouched one pass unread."""

    file: int | None
    stat: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """What the documents of a file take from its content."""

    language: str
    terms: ChunkTerms


class Update:
    """A change under way, to be used inside `Catalogue.writing`; leaving it commits the lexical part first.

    `large` says that thousands of documents are coming.
    """

    def __init__(
        self, catalogue: Catalogue, lexical: Lexical, words: Words, *, now: float, large: bool = False
    ) -> None:
        self._catalogue = catalogue
        self._lexical = lexical
        self._words = words
        self._now = now
        self._large = large
        self._writing: Writing | None = None
        self._fresh: dict[int, Content | None] = {}  # of the contents that the last `add_contents` stored
        self._last_file = 0  # when the change began

    def __enter__(self) -> Update:
        self._last_file = self._catalogue.last_id("files")
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            if self._writing is not None:
                self._writing.close()

    # contents and files

    def add_contents(self, prepared: Iterable[Prepared]) -> dict[tuple[str, str], int]:
        """Store contents; (digest, hint) → id, of those too that somebody else stored before."""
        by_key = {(p.digest, p.hint): p for p in prepared}
        known = self._catalogue.contents(by_key)
        last = self._catalogue.last_id("contents")
        fresh = {last + n: p for n, (key, p) in enumerate(by_key.items(), 1) if key not in known}
        run_many = self._catalogue.run_many
        run_many(
            "INSERT INTO contents VALUES (?,?,?,?,?,?,?,?,?,?,?)",
            [
                (id, *(bytes.fromhex(p.digest), p.hint, p.language, p.encoding, p.n_bytes),
                 *(len(p.terms), p.text, p.outline, p.skip, p.problems))
                for id, p in fresh.items()
            ],
        )  # fmt: skip
        names = sorted((key, id, ordinal, form) for id, p in fresh.items() for key, ordinal, form in p.names)
        run_many("INSERT INTO names VALUES (?,?,?,?)", names)
        self._fresh = {id: None if p.skip else Content(p.language, p.terms) for id, p in fresh.items()}
        return known | {(p.digest, p.hint): id for id, p in fresh.items()}

    def add_files(self, wanted: Iterable[tuple[str, int, str]]) -> dict[str, int]:
        """Give paths their files: path, content (0 for none), the reason why it was not looked at; path → id.

        Right after `add_contents` the terms of those contents are at hand.
        """
        files: dict[str, int] = {}
        new: list[tuple[str, int, str]] = []
        for path, content, skip in wanted:
            found = None if content in self._fresh else self._file(path, content, skip)
            if found is None:
                new.append((path, content, skip))
            else:
                files[path] = found
        first = self._catalogue.last_id("files") + 1
        self._catalogue.run_many(
            "INSERT INTO files (id, key, path, content, skip, shelves) VALUES (?,?,?,?,?,?)",
            [
                (id, *_key_and_path(path), content, skip, " ".join(shelves(path)))
                for id, (path, content, skip) in enumerate(new, first)
            ],
        )
        self._add_documents((id, path, content) for id, (path, content, _) in enumerate(new, first) if content)
        return files | {path: id for id, (path, _, _) in enumerate(new, first)}

    def _file(self, path: str, content: int, skip: str) -> int | None:
        query = "SELECT id FROM files WHERE key = ? AND path = ? AND content = ? AND skip = ?"
        found = self._catalogue.row(query, *_key_and_path(path), content, skip)
        return int(found[0]) if found else None

    def _add_documents(self, files: Iterable[tuple[int, str, int]]) -> None:
        """Tell the lexical index about files (id, path, content) and their chunks, as far as they are searched."""
        told = ((id, path, self._searchable(content)) for id, path, content in files)
        documents = [self._file_terms(id, path, content) for id, path, content in told if content is not None]
        if documents:
            self._lexical_writing().add(documents)

    def _file_terms(self, file: int, path: str, content: Content) -> FileTerms:
        name, near = name_and_folder_terms(path, self._words)
        said = " ".join(name + name + near)  # a file's own name says twice as much as its folders
        return FileTerms(file=file, path=said, language=content.language, folders=_folders(path), chunks=content.terms)

    def _searchable(self, content: int) -> Content | None:
        """A content's language and terms, None for one that is skipped."""
        return self._fresh[content] if content in self._fresh else self._stored(content)

    def _stored(self, content: int) -> Content | None:
        """The same of a content that was chunked earlier."""
        row = self._catalogue.row("SELECT language, skip, text, outline FROM contents WHERE id = ?", content)
        if row is None:
            raise Damaged(f"the index {self._catalogue.path} is damaged: a file's content is missing")
        language, skip, text, outline = row
        if skip:
            return None
        chunks, symbols = self._catalogue.outline(outline)
        names: dict[int, list[str]] = defaultdict(list)
        for ordinal, _, name, _ in symbols:
            names[ordinal].append(name)
        spans = [(chunk.name, chunk.first_line, chunk.last_line) for chunk in chunks]
        terms = chunk_terms(self._catalogue.inflate(text), spans, [names[n] for n in range(len(chunks))], self._words)
        types = chunk_types([chunk.type for chunk in chunks], [kind for *_, kind in symbols])
        return Content(language, [(type, *found) for type, found in zip(types, terms, strict=True)])

    # base, overlays, views

    def set_base(
        self, commit: str, *, changed: Mapping[str, int], removed: Iterable[str], rules: str, view: str
    ) -> None:
        """Move the base to a commit. All views but the named one, which is set next, go on showing what they show."""
        run, run_many = self._catalogue.run, self._catalogue.run_many
        run("CREATE TEMP TABLE moved (key INTEGER, path BLOB PRIMARY KEY, file INTEGER) WITHOUT ROWID")
        if not self._catalogue.meta("base"):
            run("INSERT INTO moved SELECT key, path, NULL FROM files WHERE in_base = 1")
        moved = dict.fromkeys(removed, None) | dict(changed)
        run_many(
            "INSERT OR REPLACE INTO moved VALUES (?, ?, ?)", [(*_key_and_path(path), id) for path, id in moved.items()]
        )
        run("DELETE FROM moved WHERE EXISTS (SELECT 1 FROM files f WHERE f.id = moved.file AND f.in_base = 1)")
        run(
            "INSERT OR IGNORE INTO overlays SELECT v.id, m.path, m.key, f.id, '' FROM views v JOIN moved m"
            " LEFT JOIN files f ON f.key = m.key AND f.path = m.path AND f.in_base = 1 WHERE v.name != ?",
            view,
        )
        run(
            "UPDATE files SET in_base = 0 WHERE in_base = 1 AND id IN"
            " (SELECT f.id FROM moved m JOIN files f ON f.key = m.key AND f.path = m.path)"
        )
        run("UPDATE files SET in_base = 1, unused_since = NULL WHERE id IN (SELECT file FROM moved)")
        run("DROP TABLE moved")
        self._catalogue.set_meta("base", commit)
        self._catalogue.set_meta("rules", rules)
        forget_base(self._catalogue)

    def set_view(
        self,
        name: str,
        *,
        root: str,
        signature: str,
        head: str,
        branch: str,
        overlay: Mapping[str, Shadow],
        n_changed: int,
    ) -> int:
        """Record what a view shows: the base and the files in which it differs; its id."""
        self._catalogue.run(
            "INSERT INTO views (name, root, signature, head, branch, n_files, n_changed, n_skipped, used_at)"
            " VALUES (?,?,?,?,?,0,?,0,?) ON CONFLICT (name) DO UPDATE SET root = excluded.root,"
            " signature = excluded.signature, head = excluded.head, branch = excluded.branch,"
            " n_changed = excluded.n_changed, used_at = excluded.used_at",
            *(name, root, signature, head, branch, n_changed, self._now),
        )
        (view,) = self._catalogue.row("SELECT id FROM views WHERE name = ?", name)
        self._catalogue.run("DELETE FROM overlays WHERE view = ?", view)
        self._catalogue.run_many(
            "INSERT INTO overlays (view, key, path, file, stat) VALUES (?, ?, ?, ?, ?)",
            [(view, *_key_and_path(path), shadow.file, shadow.stat) for path, shadow in overlay.items()],
        )
        self._count(view)
        return int(view)

    def _count(self, view: int) -> None:
        """Note how many files a view shows: those of the base, corrected by the overlay, which is small as a rule."""
        shadowed = (
            "SELECT f.id file FROM overlays o JOIN files f ON f.key = o.key AND f.path = o.path"
            " WHERE o.view = ?1 AND f.in_base = 1"
        )
        base, under = tally_of_base(self._catalogue), tally(self._catalogue, shadowed, view)
        over = tally(self._catalogue, "SELECT file FROM overlays WHERE view = ?1 AND file IS NOT NULL", view)
        smallest = min((size for size in (base.smallest, over.smallest) if size >= 0), default=-1)
        largest = max(base.largest, over.largest)
        if under.n_searched and (under.smallest == base.smallest or under.largest == base.largest):
            shown = tally(  # another one is the smallest or largest now
                self._catalogue,
                "SELECT id file FROM files"
                " WHERE in_base = 1 AND path NOT IN (SELECT path FROM overlays WHERE view = ?1)"
                " UNION ALL SELECT file FROM overlays WHERE view = ?1 AND file IS NOT NULL",
                view,
            )
            smallest, largest = shown.smallest, shown.largest
        n_searched = base.n_searched + over.n_searched - under.n_searched
        n_skipped = base.n_skipped + over.n_skipped - under.n_skipped
        self._catalogue.run(
            "UPDATE views SET n_files = ?, n_skipped = ?, smallest = ?, largest = ? WHERE id = ?",
            *(n_searched, n_skipped, max(smallest, 0), max(largest, 0), view),
        )

    # the lexical part

    def _lexical_writing(self) -> Writing:
        """A process that was killed may have left documents of files that this change now names: they go first."""
        if self._writing is None:
            self._writing = self._lexical.writing(large=self._large)
            if self._catalogue.meta("stamps") != self._lexical.stamps():
                self._writing.remove_above(self._last_file)
        return self._writing

    def _finish(self) -> None:
        """Commit the lexical part, without what was doomed by an earlier change, and note its stamps."""
        doomed = self._catalogue.rows("SELECT file FROM doomed WHERE file NOT IN (SELECT id FROM files)")
        if (doomed and self._writing is not None) or len(doomed) > _MANY_DOOMED:
            self._lexical_writing().remove(row[0] for row in doomed)
            self._catalogue.run("DELETE FROM doomed")
        if self._writing is not None:
            self._commit()
            if self._lexical.n_removed("chunks") > max(_MANY_REMOVED, self._lexical.n_documents("chunks")):
                self.rebuild()

    def _commit(self) -> None:
        self._lexical_writing().commit()
        self._writing = None
        self._fresh.clear()
        self._lexical.reload()
        self._catalogue.set_meta("stamps", self._lexical.stamps())

    def recover(self) -> str:
        """Bring the lexical index in step after a crash; what was done, "" when nothing was needed."""
        noted = self._catalogue.meta("stamps")
        if noted == self._lexical.stamps():
            return ""
        if not noted and not self._last_file and not self._lexical.n_documents("files"):
            self._catalogue.set_meta("stamps", self._lexical.stamps())  # both are new
            return ""
        if noted and not self._lexical.covers(noted):
            return self.rebuild()
        self._lexical_writing().remove(row[0] for row in self._catalogue.rows("SELECT file FROM doomed"))
        self._catalogue.run("DELETE FROM doomed")
        self._commit()
        if not self._is_complete():
            return self.rebuild()
        return "an interrupted indexing was rolled back" if noted else ""

    def _is_complete(self) -> bool:
        searchable = "FROM files f JOIN contents c ON c.id = f.content WHERE c.skip = ''"
        n_stored = self._catalogue.row(f"SELECT count(*), ifnull(sum(c.n_chunks), 0) {searchable}")
        return tuple(n_stored) == (self._lexical.n_documents("files"), self._lexical.n_documents("chunks"))

    def rebuild(self) -> str:
        """Make the lexical index anew from the catalogue."""
        self._large = True
        self._lexical_writing().clear()
        files = self._catalogue.rows("SELECT id, path, content FROM files WHERE content != 0")
        for at in range(0, len(files), _FILES_PER_STEP):
            self._add_documents(
                (id, os.fsdecode(path), content) for id, path, content in files[at : at + _FILES_PER_STEP]
            )
        self._catalogue.run("DELETE FROM doomed")
        self._commit()
        return "the lexical index was made again from the catalogue"


def _key_and_path(path: str) -> tuple[int, bytes]:
    """A path as tables have it, after the number under which it is found."""
    found = os.fsencode(path)
    return path_key(found), found


def _folders(path: str) -> tuple[str, ...]:
    parts = path.split("/")[:-1]
    return tuple("/".join(parts[: n + 1]) for n in range(len(parts)))
