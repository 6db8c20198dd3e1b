"""One change of an index: contents and files come in, a view is set, what nobody shows goes. The lock must be held.

The order that makes a crash harmless: documents are added to the lexical index and committed there, then the catalogue
commits; files that go are noted as doomed, the catalogue commits, and their documents are removed by the next change.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from callsite.index.catalogue import Catalogue, inflate
from callsite.index.lexical import Document, Lexical, Writing
from callsite.index.prepared import Prepared, chunk_terms
from callsite.text.paths import name_and_folder_terms, shelves
from callsite.text.words import Words

_KEEP_UNUSED_SECONDS = 7 * 86_400.0  # a branch that is visited weekly stays free
_KEEP_AT_LEAST_SECONDS = 60.0  # somebody may still be reading an older state
_MANY_DOOMED = 500  # fewer wait for the next change that writes documents anyway: a commit of their own costs 15 ms
_UNUSED_SHARE = 0.25  # of the text that is shown: beyond, the oldest unused contents go


@dataclass(frozen=True, slots=True)
class Shadow:
    """What a view shows in place of the base's file: another file, or none. `stat` lets an untouched one pass unread."""

    file: int | None
    stat: str = ""


class Update:
    """A change under way, to be used inside `Catalogue.writing`; leaving it commits the lexical part first.

    `large` says that thousands of documents are coming.
    """

    def __init__(self, catalogue: Catalogue, lexical: Lexical, words: Words, *, now: float, large: bool = False) -> None:
        self._catalogue = catalogue
        self._lexical = lexical
        self._words = words
        self._now = now
        self._large = large
        self._writing: Writing | None = None
        self._fresh_terms: dict[int, Sequence[tuple[str, str]]] = {}

    def __enter__(self) -> Update:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            if self._writing is not None:
                self._writing.close()

    # contents and files

    def known_contents(self, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
        """Those of the (digest, hint) pairs that were seen before, with their id."""
        return {
            (digest, hint): found[0]
            for digest, hint in wanted
            if (found := self._catalogue.row("SELECT id FROM contents WHERE digest = ? AND hint = ?", digest, hint))
        }

    def add_content(self, prepared: Prepared) -> int:
        """Store a content; its id."""
        p = prepared
        content = self._catalogue.run(
            "INSERT INTO contents (digest, hint, language, encoding, n_bytes, text, skip, problems) VALUES (?,?,?,?,?,?,?,?)",
            *(p.digest, p.hint, p.language, p.encoding, p.n_bytes, p.text, p.skip, p.problems),
        )
        self._catalogue.run_many(
            "INSERT INTO chunks VALUES (?,?,?,?,?,?,?,?,?)", [(content, n, *chunk) for n, chunk in enumerate(p.chunks)]
        )
        self._catalogue.run_many(
            "INSERT OR IGNORE INTO symbols VALUES (?,?,?,?,?,?,?)", [(s[0], content, *s[1:]) for s in p.symbols]
        )
        self._fresh_terms[content] = p.terms
        return content

    def file(self, path: str, content: int, *, skip: str = "") -> int:
        """The id of a path with this content, or with the reason why its content was not looked at."""
        raw = os.fsencode(path)
        found = self._catalogue.row("SELECT id FROM files WHERE path = ? AND content = ? AND skip = ?", raw, content, skip)
        if found:
            return int(found[0])
        on_shelves = shelves(path)
        file = self._catalogue.run(
            "INSERT INTO files (path, content, skip, shelves, unused_since) VALUES (?,?,?,?,?)",
            *(raw, content, skip, " ".join(on_shelves), self._now),
        )
        if content:
            self._add_documents(file, path, content)
        return file

    def _add_documents(self, file: int, path: str, content: int) -> None:
        """Tell the lexical index about a file and its chunks."""
        (language, skip) = self._catalogue.row("SELECT language, skip FROM contents WHERE id = ?", content)
        if skip:
            return
        terms = self._fresh_terms.get(content) or self._terms_again(content)
        types = [row[0] for row in self._catalogue.rows("SELECT type FROM chunks WHERE content = ? ORDER BY ordinal", content)]
        name, near = name_and_folder_terms(path, self._words)
        common: dict[str, Any] = {
            "file": file,
            "path": " ".join(name + name + near),  # a file's own name says twice as much as its folders
            "language": language,
            "folders": _folders(path),
        }
        whole: dict[str, Any] = {"words": " ".join(t[0] for t in terms), "symbols": " ".join(t[1] for t in terms)}
        writing = self._lexical_writing()
        writing.add("files", [Document(**common, **whole, ordinal=0, type="file")])
        writing.add(
            "chunks",
            [
                Document(**common, ordinal=n, words=t[0], symbols=t[1], type=type_)
                for n, (t, type_) in enumerate(zip(terms, types, strict=True))
            ],
        )

    def _terms_again(self, content: int) -> list[tuple[str, str]]:
        """The terms of a content that was chunked earlier."""
        chunks = self._catalogue.rows("SELECT first_line, last_line FROM chunks WHERE content = ? ORDER BY ordinal", content)
        names: dict[int, list[str]] = defaultdict(list)
        for ordinal, name in self._catalogue.rows("SELECT ordinal, name FROM symbols WHERE content = ? ORDER BY line", content):
            names[ordinal].append(name)
        (stored,) = self._catalogue.row("SELECT text FROM contents WHERE id = ?", content)
        return chunk_terms(inflate(stored), chunks, [names[n] for n in range(len(chunks))], self._words)

    # base, overlays, views

    def set_base(self, commit: str, *, changed: Mapping[str, int], removed: Iterable[str], rules: str) -> None:
        """Move the base to a commit; what other views recorded about their difference from it is void."""
        if not self._catalogue.meta("base"):
            self._catalogue.run("DELETE FROM base")
        self._catalogue.run_many("DELETE FROM base WHERE path = ?", [(os.fsencode(path),) for path in removed])
        self._catalogue.run_many(
            "INSERT INTO base VALUES (?, ?) ON CONFLICT (path) DO UPDATE SET file = excluded.file",
            [(os.fsencode(path), file) for path, file in changed.items()],
        )
        self._catalogue.run("UPDATE files SET in_base = 0 WHERE in_base = 1 AND id NOT IN (SELECT file FROM base)")
        self._catalogue.run("UPDATE files SET in_base = 1, unused_since = NULL WHERE in_base = 0 AND id IN (SELECT file FROM base)")
        self._catalogue.run("UPDATE views SET signature = ''")
        self._catalogue.set_meta("base", commit)
        self._catalogue.set_meta("rules", rules)

    def set_view(
        self, name: str, *, root: str, signature: str, head: str, branch: str, overlay: Mapping[str, Shadow], n_changed: int
    ) -> int:
        """Record what a view shows: the base and the files in which it differs; its id."""
        self._catalogue.run(
            "INSERT INTO views (name, root, signature, head, branch, n_files, n_changed, n_skipped, used_at)"
            " VALUES (?,?,?,?,?,0,?,0,?) ON CONFLICT (name) DO UPDATE SET root = excluded.root, signature = excluded.signature,"
            " head = excluded.head, branch = excluded.branch, n_changed = excluded.n_changed, used_at = excluded.used_at",
            *(name, root, signature, head, branch, n_changed, self._now),
        )
        (view,) = self._catalogue.row("SELECT id FROM views WHERE name = ?", name)
        self._catalogue.run("DELETE FROM overlays WHERE view = ?", view)
        self._catalogue.run_many(
            "INSERT INTO overlays VALUES (?, ?, ?, ?)",
            [(view, os.fsencode(path), shadow.file, shadow.stat) for path, shadow in overlay.items()],
        )
        self._count(view)
        return int(view)

    def _count(self, view: int) -> None:
        self._catalogue.run(
            "UPDATE views SET (n_files, n_skipped, smallest, largest) = ("
            "SELECT ifnull(sum(f.skip = '' AND c.skip = ''), 0), ifnull(sum(f.skip != '' OR c.skip != ''), 0),"
            " ifnull(min(iif(c.skip = '', c.n_bytes, NULL)), 0), ifnull(max(iif(c.skip = '', c.n_bytes, NULL)), 0)"
            " FROM (SELECT file FROM base WHERE path NOT IN (SELECT path FROM overlays WHERE view = ?1)"
            " UNION ALL SELECT file FROM overlays WHERE view = ?1 AND file IS NOT NULL) shown"
            " JOIN files f ON f.id = shown.file LEFT JOIN contents c ON c.id = f.content) WHERE id = ?1",
            view,
        )

    # what nobody shows any more

    def drop_view(self, view: int) -> None:
        self._catalogue.run("DELETE FROM overlays WHERE view = ?", view)
        self._catalogue.run("DELETE FROM views WHERE id = ?", view)

    def views(self) -> list[tuple[int, str]]:
        """All views with the folder that each shows, "" for a commit."""
        return self._catalogue.rows("SELECT id, root FROM views")

    def drop_unused(self) -> None:
        """Forget files that no view has shown for long, or whose text outweighs what is shown."""
        run = self._catalogue.run
        shown = "in_base = 1 OR id IN (SELECT file FROM overlays WHERE file IS NOT NULL)"
        run(f"UPDATE files SET unused_since = NULL WHERE unused_since IS NOT NULL AND ({shown})")
        run(f"UPDATE files SET unused_since = ? WHERE unused_since IS NULL AND NOT ({shown})", self._now)
        unused = self._catalogue.rows(
            "SELECT f.id, f.unused_since, ifnull(c.n_bytes, 0) FROM files f LEFT JOIN contents c ON c.id = f.content"
            " WHERE f.unused_since IS NOT NULL AND f.unused_since < ? ORDER BY f.unused_since DESC",
            self._now - _KEEP_AT_LEAST_SECONDS,
        )
        if not unused:
            return
        (n_shown,) = self._catalogue.row(
            "SELECT ifnull(sum(c.n_bytes), 0) FROM files f JOIN contents c ON c.id = f.content WHERE f.unused_since IS NULL"
        )
        going, n_bytes = [], 0
        for file, since, size in unused:
            n_bytes += size
            if since < self._now - _KEEP_UNUSED_SECONDS or n_bytes > _UNUSED_SHARE * n_shown:
                going.append((file,))
        self._forget(going)

    def _forget(self, files: list[tuple[int]]) -> None:
        self._catalogue.run_many("INSERT OR IGNORE INTO doomed VALUES (?)", files)
        self._catalogue.run_many("DELETE FROM files WHERE id = ?", files)
        unused = "NOT IN (SELECT content FROM files)"
        self._catalogue.run(f"DELETE FROM chunks WHERE content {unused}")
        self._catalogue.run(f"DELETE FROM symbols WHERE content {unused}")
        self._catalogue.run(f"DELETE FROM contents WHERE id {unused}")

    # the lexical part

    def _lexical_writing(self) -> Writing:
        if self._writing is None:
            self._writing = self._lexical.writing(large=self._large)
        return self._writing

    def _finish(self) -> None:
        """Commit the lexical part, without what was doomed by an earlier change, and note its stamps."""
        doomed = self._catalogue.rows("SELECT file FROM doomed WHERE file NOT IN (SELECT id FROM files)")
        if (doomed and self._writing is not None) or len(doomed) > _MANY_DOOMED:
            self._lexical_writing().remove(row[0] for row in doomed)
            self._catalogue.run("DELETE FROM doomed")
        if self._writing is not None:
            self._commit()

    def _commit(self) -> None:
        self._lexical_writing().commit(wait_for_merges=self._large)
        self._fresh_terms.clear()
        self._lexical.reload()
        self._catalogue.set_meta("stamps", self._lexical.stamps())
        self._writing = None

    def recover(self) -> str:
        """Bring the lexical index in step after a crash; what was done, "" when nothing was needed."""
        noted = self._catalogue.meta("stamps")
        if noted == self._lexical.stamps():
            return ""
        writing = self._lexical_writing()
        writing.remove_above(self._catalogue.last_file())
        writing.remove(row[0] for row in self._catalogue.rows("SELECT file FROM doomed"))
        self._catalogue.run("DELETE FROM doomed")
        self._commit()
        if not self._is_complete():
            return self.rebuild()
        return "an interrupted indexing was rolled back" if noted else ""

    def _is_complete(self) -> bool:
        searchable = "FROM files f JOIN contents c ON c.id = f.content WHERE c.skip = ''"
        (n_files,) = self._catalogue.row(f"SELECT count(*) {searchable}")
        (n_chunks,) = self._catalogue.row(
            f"SELECT ifnull(sum((SELECT count(*) FROM chunks WHERE chunks.content = f.content)), 0) {searchable}"
        )
        return (n_files, n_chunks) == (self._lexical.n_documents("files"), self._lexical.n_documents("chunks"))

    def rebuild(self) -> str:
        """Make the lexical index anew from the catalogue."""
        self._large = True
        self._lexical_writing().clear()
        for file, path, content in self._catalogue.rows("SELECT id, path, content FROM files WHERE content != 0"):
            self._add_documents(file, os.fsdecode(path), content)
        self._commit()
        return "the lexical index was made again from the catalogue"


def _folders(path: str) -> tuple[str, ...]:
    parts = path.split("/")[:-1]
    return tuple("/".join(parts[: n + 1]) for n in range(len(parts)))
