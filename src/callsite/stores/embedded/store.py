"""How does the embedded store keep and answer? One folder: SQLite is the truth, words and vectors are derived from it.

A write commits documents and notes whose words are stale; the lexical index follows before the next answer. A process
that is killed between the two leaves the note, so the next one makes it good.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from pathlib import Path
from shutil import rmtree
from threading import RLock
from typing import Any, TypeVar

from callsite.collections.definition import Collection, change_problem
from callsite.errors import CollectionError, StoreError
from callsite.query.builder import Query
from callsite.query.nodes import Match, walk
from callsite.stores.answering import Answering
from callsite.stores.asking import names_of, page_of, ready, settled, unknown
from callsite.stores.embedded.database import Database
from callsite.stores.embedded.documents import Documents
from callsite.stores.embedded.engine import EmbeddedEngine
from callsite.stores.embedded.filters import vectors_table
from callsite.stores.embedded.lexicon import Lexicon, Lost, opened
from callsite.stores.rows import Row, change_of, key_problem, refused, row_of
from callsite.stores.seam import Store
from callsite.stores.terms import lexical_terms
from callsite.stores.values import Candidate, Change, Document, Found, Health, Key, Outcome, Page, Stats
from callsite.text.words import Words
from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from callsite.stores.embedded.vectors import Vectors

Answer = TypeVar("Answer")

_ROWS_PER_STEP = 2_000  # documents, looked up and written together
_WORDS_PER_COMMIT = 20_000  # documents: so much is held in memory
_GONE = 1_024  # vectors of removed documents that stay in memory, beyond as many as there are


class EmbeddedStore(Store):
    """Keeps everything in one folder of this machine; a Store. Several processes may have it open."""

    def __init__(self, folder: str | Path, *, wait: float = 10.0) -> None:
        """Open or create it; `wait` seconds for others that write. StoreError when the folder can't be used."""
        self._folder = Path(folder)
        self._lock = RLock()
        self._words = Words()
        self._lexicons: dict[int, Lexicon] = {}
        self._vectors: dict[tuple[int, str], tuple[int, Vectors]] = {}  # with the last stamp that is in them
        self._database = Database(self._folder / "store.sqlite", wait=wait)

    # collections

    def create(self, collection: Collection) -> None:
        collection = collection.again()
        with self._lock, self._database.writing():
            definition = json.dumps(collection.to_json())
            if (known := self._find(collection.name)) is None:
                add = "INSERT INTO collections (name, definition) VALUES (?, ?)"
                Documents(self._database, collection, self._database.run(add, collection.name, definition)).create()
            elif known.collection != collection:
                raise CollectionError(f"there is another collection {collection.name}; change or drop that one")

    def change(self, collection: Collection) -> None:
        collection = collection.again()
        with self._lock, self._database.writing():
            kept = self._of(collection.name)
            if kept.collection == collection:
                return
            if problem := change_problem(kept.collection, collection):
                raise CollectionError(problem)
            before = kept.collection.schema.kinds()
            changed = Documents(self._database, collection, kept.number)
            changed.add(field for field in collection.schema.fields if field.name not in before)
            self._database.run(
                "UPDATE collections SET definition = ? WHERE number = ?", json.dumps(collection.to_json()), kept.number
            )

    def drop(self, collection: str) -> bool:
        with self._lock:
            with self._database.writing():
                if (kept := self._find(collection)) is None:
                    return False
                kept.drop()
                self._database.run("DELETE FROM collections WHERE number = ?", kept.number)
            self._lexicons.pop(kept.number, None)
            self._vectors = {at: found for at, found in self._vectors.items() if at[0] != kept.number}
            rmtree(self._words_folder(kept.number), ignore_errors=True)
            return True

    def collections(self) -> tuple[Collection, ...]:
        with self._lock, self._database.reading():
            return tuple(kept.collection for kept in self._kept())

    # documents

    def upsert(self, collection: str, documents: Iterable[Mapping[str, object]]) -> list[Outcome]:
        return self._write(collection, documents, row_of, Documents.upsert)

    def update(self, collection: str, changes: Iterable[Change]) -> list[Outcome]:
        return self._write(collection, changes, change_of, Documents.update)

    def _write(
        self,
        collection: str,
        items: Iterable[Any],
        checked: Callable[[Collection, Any], Row | Outcome],
        write: Callable[[Documents, Sequence[Row]], list[Outcome]],
    ) -> list[Outcome]:
        outcomes: list[Outcome] = []
        items = iter(items)
        with self._lock, self._database.writing():
            kept = self._of(collection)
            while some := [checked(kept.collection, item) for item in islice(items, _ROWS_PER_STEP)]:
                written = iter(write(kept, [one for one in some if isinstance(one, Row)]))
                outcomes += [next(written) if isinstance(one, Row) else one for one in some]
        return outcomes

    def delete(self, collection: str, keys: Iterable[Key]) -> list[Outcome]:
        with self._lock, self._database.writing():
            kept = self._of(collection)
            problems = [(key, key_problem(kept.collection, key)) for key in keys]
            rows = kept.rows_of(key for key, problem in problems if not problem)
            kept.delete(rows.values())
            return [
                refused(None, problem)
                if problem
                else Outcome(key=key, state="deleted" if rows.pop(key, None) is not None else "missing")
                for key, problem in problems
            ]

    def delete_orphans(self, collection: str, *, of: Query, keep: AbstractSet[str]) -> int:
        with self._lock, self._database.writing():
            kept = self._of(collection)
            node = settled(kept.collection, of, "delete_orphans").node
            if any(isinstance(one, Match) for one in walk(node)):
                passing = self._ask(collection, lambda kept, engine: engine.rows_passing(node))
            else:
                passing = self._engine(kept).rows_passing(node)
            gone = [row for row, id in passing.items() if id not in keep]
            kept.delete(gone)
            return len(gone)

    def lookup(
        self, collection: str, keys: Iterable[Key], *, fields: Iterable[str] | None = None
    ) -> list[Document | None]:
        with self._lock, self._database.reading():
            kept = self._of(collection)
            names, keys = names_of(kept.collection, fields), list(keys)
            found = kept.documents([key for key in keys if not key_problem(kept.collection, key)], names)
            return [None if key_problem(kept.collection, key) else found.get(key) for key in keys]

    # questions

    def search(self, collection: str, query: Query, *, fields: Iterable[str] | None = None) -> Found:
        def answer(kept: Documents, engine: EmbeddedEngine) -> Found:
            names = names_of(kept.collection, fields)
            first, has_more = Answering(engine).first(ready(kept.collection, query).node)
            documents = kept.documents([key for key, _ in first], names)
            found = tuple(Candidate(document=documents[key], scores=scores) for key, scores in first)
            return Found(candidates=found, has_more=has_more)

        return self._ask(collection, answer)

    def count(self, collection: str, query: Query) -> int:
        return self._ask(collection, lambda kept, engine: Answering(engine).count(ready(kept.collection, query).node))

    def scan(
        self,
        collection: str,
        query: Query,
        *,
        after: Key | None = None,
        size: int = 1_000,
        fields: Iterable[str] | None = None,
    ) -> Page:
        def answer(kept: Documents, engine: EmbeddedEngine) -> Page:
            names, n = names_of(kept.collection, fields), page_of(kept.collection, after, size)
            keys = engine.scan(settled(kept.collection, query, "scan").node, after, n + 1)
            documents = kept.documents(keys[:n], names)
            found = tuple(documents[key] for key in keys[:n])
            return Page(documents=found, after=keys[n - 1] if len(keys) > n else None)

        return self._ask(collection, answer)

    def refresh(self, collection: str) -> None:
        """Answers see what was written in any case; this only takes the time now."""
        self._ask(collection, lambda kept, engine: None)

    def health(self) -> Health:
        from sqlite3 import sqlite_version

        try:
            with self._lock:
                damage = self._database.value("PRAGMA quick_check(1)")
        except StoreError as error:
            return Health(engine="embedded", version=sqlite_version, is_well=False, notes=(str(error),))
        notes = () if damage == "ok" else (str(damage),)
        return Health(engine="embedded", version=sqlite_version, is_well=not notes, notes=notes)

    def stats(self, collection: str) -> Stats:
        with self._lock, self._database.reading():
            kept, value = self._of(collection), self._database.value
            names = [field.name for field in kept.collection.vector_fields()]
            filled = {name: value(f"SELECT count(vector) FROM {vectors_table(kept.number, name)}") for name in names}
            return Stats(n_documents=value(f"SELECT count(*) FROM documents_{kept.number}"), n_filled=filled)

    def close(self) -> None:
        with self._lock:
            self._lexicons.clear()
            self._vectors.clear()
            self._database.close()

    # parts

    def _kept(self, which: str = "", *values: object) -> list[Documents]:
        """The collections that meet a condition, by name."""
        rows = self._database.rows(f"SELECT number, definition FROM collections {which} ORDER BY name", *values)
        found = ((number, Collection.from_json(json.loads(definition))) for number, definition in rows)
        return [Documents(self._database, collection, number) for number, collection in found]

    def _find(self, name: str) -> Documents | None:
        return next(iter(self._kept("WHERE name = ?", name)), None)

    def _of(self, name: str) -> Documents:
        if (found := self._find(name)) is None:
            raise unknown(name, [kept.collection.name for kept in self._kept()])
        return found

    def _ask(self, collection: str, answer: Callable[[Documents, EmbeddedEngine], Answer]) -> Answer:
        """What is answered from one state of a collection; words that can't be read are made again."""
        with self._lock:
            try:
                return self._answered(collection, answer)
            except Lost:
                self._forget_words(collection)
            try:
                return self._answered(collection, answer)
            except Lost as error:
                raise StoreError(f"the words of the store in {self._folder} can't be read: {error}") from error

    def _answered(self, collection: str, answer: Callable[[Documents, EmbeddedEngine], Answer]) -> Answer:
        with self._database.reading():
            is_stale = self._is_stale(self._of(collection))
        if is_stale:
            with self._database.writing():
                self._renew_words(self._of(collection))
        with self._database.reading():
            kept = self._of(collection)
            return answer(kept, self._engine(kept))

    def _forget_words(self, collection: str) -> None:
        with self._database.writing():
            number = self._of(collection).number
            self._lexicons.pop(number, None)
            rmtree(self._words_folder(number), ignore_errors=True)

    def _words_folder(self, number: int) -> Path:
        return self._folder / f"words-{number}"

    def _engine(self, kept: Documents) -> EmbeddedEngine:
        return EmbeddedEngine(
            self._database,
            kept,
            self._words,
            lexicon=lambda: self._lexicons[kept.number],
            vectors_of=lambda field: self._vectors_in(kept, field),
        )

    def _is_stale(self, kept: Documents) -> bool:
        """Whether the lexical index lacks anything, or is not open."""
        noted = self._noted(kept)
        if (lexicon := self._lexicons.get(kept.number)) is None or lexicon.stamp < noted:
            return True
        lexicon.reload_if_changed()
        return self._database.value(f"SELECT 1 FROM pending_{kept.number} LIMIT 1") is not None

    def _noted(self, kept: Documents) -> int:
        return int(self._database.value("SELECT words FROM collections WHERE number = ?", kept.number))

    def _renew_words(self, kept: Documents) -> None:
        """Bring the lexical index in step, from the beginning if it was lost."""
        try:
            self._bring_in_step(kept)
        except Lost:
            rmtree(self._words_folder(kept.number), ignore_errors=True)
            self._bring_in_step(kept)

    def _bring_in_step(self, kept: Documents) -> None:
        number, run, noted = kept.number, self._database.run, self._noted(kept)
        lexicon, is_new = opened(self._words_folder(number), is_current=lambda found: found.stamp >= noted)
        self._lexicons[number] = lexicon
        if is_new or lexicon.n_documents == 0:
            run(f"INSERT OR IGNORE INTO pending_{number} SELECT row FROM documents_{number}")
        next_rows = f"SELECT row FROM pending_{number} ORDER BY row LIMIT {_WORDS_PER_COMMIT}"
        while pending := [row for (row,) in self._database.rows(next_rows)]:
            sources = kept.sources(pending)
            lexicon.write(pending, ((row, lexical_terms(kept.collection, has, self._words)) for row, has in sources))
            run(f"DELETE FROM pending_{number} WHERE row <= ?", pending[-1])
        run("UPDATE collections SET words = ? WHERE number = ?", lexicon.stamp, number)

    def _vectors_in(self, kept: Documents, field: str) -> Vectors:
        """The vectors of a field as they are now; only what is new is read."""
        try:
            from callsite.stores.embedded.vectors import Vectors
        except ImportError as error:
            raise StoreError("near vectors are found with numpy: pip install 'callsite[embedded]'") from error

        at, table = (kept.number, field), vectors_table(kept.number, field)
        known = kept.collection.schema.field(field)
        dims = known.dims if known else 0
        last, vectors = self._vectors.get(at, (0, Vectors(dims)))
        newest = self._database.value(f"SELECT max(stamp) FROM {table}") or 0
        if newest > last:
            new = f"SELECT v.row, d.routing, v.vector FROM {table} v JOIN documents_{kept.number} d ON d.row = v.row"
            vectors.put(self._database.rows(f"{new} WHERE v.stamp > ?", last))
            if len(vectors) > 2 * self._database.value(f"SELECT count(*) FROM {table}") + _GONE:
                vectors = Vectors(dims)
                vectors.put(self._database.rows(new))
        self._vectors[at] = newest, vectors
        return vectors
