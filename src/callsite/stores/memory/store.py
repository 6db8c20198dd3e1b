"""How are documents kept in memory? Plain dictionaries behind one lock; what queries mean is told in `meaning.py`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from threading import RLock

from callsite.collections.definition import Collection, change_problem
from callsite.errors import CollectionError
from callsite.query.builder import Query
from callsite.query.fields import Value
from callsite.query.make import MOST
from callsite.stores.asking import names_of, page_of, ready, settled, unknown
from callsite.stores.memory.lexicon import Lexicon
from callsite.stores.memory.meaning import Given, Meaning
from callsite.stores.order import by_key, in_order
from callsite.stores.rows import Row, change_of, key_problem, refused, row_of
from callsite.stores.seam import Store
from callsite.stores.terms import lexical_terms
from callsite.stores.values import Candidate, Change, Document, Found, Health, Key, Outcome, Page, Stats
from callsite.text.words import Words


class MemoryStore(Store):
    """Keeps everything in this process and gives exact answers; a Store."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._words = Words()
        self._kept: dict[str, _Kept] = {}

    def create(self, collection: Collection) -> None:
        collection = collection.again()
        with self._lock:
            kept = self._kept.setdefault(collection.name, _Kept(collection, self._words))
            if kept.collection != collection:
                raise CollectionError(f"there is another collection {collection.name}; change or drop that one")

    def change(self, collection: Collection) -> None:
        collection = collection.again()
        with self._lock:
            kept = self._of(collection.name)
            if kept.collection == collection:
                return
            if problem := change_problem(kept.collection, collection):
                raise CollectionError(problem)
            kept.collection = collection

    def drop(self, collection: str) -> bool:
        with self._lock:
            return self._kept.pop(collection, None) is not None

    def collections(self) -> tuple[Collection, ...]:
        with self._lock:
            return tuple(self._kept[name].collection for name in sorted(self._kept))

    def upsert(self, collection: str, documents: Iterable[Mapping[str, object]]) -> list[Outcome]:
        with self._lock:
            kept = self._of(collection)
            rows = (row_of(kept.collection, document) for document in documents)
            return [row if isinstance(row, Outcome) else kept.upsert(row) for row in rows]

    def update(self, collection: str, changes: Iterable[Change]) -> list[Outcome]:
        with self._lock:
            kept = self._of(collection)
            rows = (change_of(kept.collection, change) for change in changes)
            return [row if isinstance(row, Outcome) else kept.update(row) for row in rows]

    def delete(self, collection: str, keys: Iterable[Key]) -> list[Outcome]:
        with self._lock:
            kept = self._of(collection)
            problems = ((key, key_problem(kept.collection, key)) for key in keys)
            return [refused(None, problem) if problem else kept.delete(key) for key, problem in problems]

    def delete_orphans(self, collection: str, *, of: Query, keep: AbstractSet[str]) -> int:
        with self._lock:
            kept = self._of(collection)
            given = kept.given(settled(kept.collection, of, "delete_orphans"))
            return len([kept.delete(key) for key in given if key.id not in keep])

    def lookup(
        self, collection: str, keys: Iterable[Key], *, fields: Iterable[str] | None = None
    ) -> list[Document | None]:
        with self._lock:
            kept = self._of(collection)
            names = names_of(kept.collection, fields)
            return [kept.document(key, names) if kept.holds(key) else None for key in keys]

    def search(self, collection: str, query: Query, *, fields: Iterable[str] | None = None) -> Found:
        with self._lock:
            kept = self._of(collection)
            names = names_of(kept.collection, fields)
            given = kept.given(ready(kept.collection, query))
            found = (Candidate(document=kept.document(key, names), scores=given[key]) for key in in_order(given)[:MOST])
            return Found(candidates=tuple(found), has_more=len(given) > MOST)

    def count(self, collection: str, query: Query) -> int:
        with self._lock:
            kept = self._of(collection)
            return len(kept.given(ready(kept.collection, query)))

    def scan(
        self,
        collection: str,
        query: Query,
        *,
        after: Key | None = None,
        size: int = 1_000,
        fields: Iterable[str] | None = None,
    ) -> Page:
        with self._lock:
            kept = self._of(collection)
            names, size = names_of(kept.collection, fields), page_of(kept.collection, after, size)
            keys = sorted(kept.given(settled(kept.collection, query, "scan")), key=by_key)
            rest = [key for key in keys if after is None or by_key(key) > by_key(after)]
            documents = tuple(kept.document(key, names) for key in rest[:size])
            return Page(documents=documents, after=rest[size - 1] if len(rest) > size else None)

    def refresh(self, collection: str) -> None:
        with self._lock:
            self._of(collection)

    def health(self) -> Health:
        return Health(engine="memory", version="", is_well=True)

    def stats(self, collection: str) -> Stats:
        with self._lock:
            kept = self._of(collection)
            names = [field.name for field in kept.collection.vector_fields()]
            filled = {name: sum(name in document for document in kept.documents.values()) for name in names}
            return Stats(n_documents=len(kept.documents), n_filled=filled)

    def close(self) -> None:
        """Nothing is held that would have to be given back."""

    def _of(self, name: str) -> _Kept:
        if (kept := self._kept.get(name)) is None:
            raise unknown(name, self._kept)
        return kept


class _Kept:
    """A collection and its documents."""

    def __init__(self, collection: Collection, words: Words) -> None:
        self.collection = collection
        self.documents: dict[Key, dict[str, Value]] = {}
        self._lexicons = {to: Lexicon() for to, _ in collection.lexical}
        self._words = words

    def upsert(self, row: Row) -> Outcome:
        is_new = row.key not in self.documents
        is_changed = self._write(row)
        return Outcome(key=row.key, state="created" if is_new else "updated" if is_changed else "unchanged")

    def update(self, row: Row) -> Outcome:
        document = self.documents.get(row.key)
        if document is None:
            return Outcome(key=row.key, state="missing")
        if any(document.get(name) != value for name, value in row.expected.items()):
            return Outcome(key=row.key, state="changed")
        return Outcome(key=row.key, state="updated" if self._write(row) else "unchanged")

    def _write(self, row: Row) -> bool:
        """Whether anything is different now."""
        before = self.documents.get(row.key, {})
        merged = {**before, "id": row.key.id, **row.fields}
        after = {name: value for name, value in merged.items() if value is not None}
        self.documents[row.key] = after
        for to, terms in lexical_terms(self.collection, row.fields, self._words).items():
            self._lexicons[to].put(row.key, terms)
        return after != before

    def delete(self, key: Key) -> Outcome:
        is_there = self.documents.pop(key, None) is not None
        for lexicon in self._lexicons.values():
            lexicon.remove(key)
        return Outcome(key=key, state="deleted" if is_there else "missing")

    def holds(self, key: Key) -> bool:
        return not key_problem(self.collection, key) and key in self.documents

    def document(self, key: Key, names: Iterable[str]) -> Document:
        document = self.documents[key]
        return Document(key=key, fields={name: document[name] for name in names if name in document})

    def given(self, query: Query) -> Given:
        meaning = Meaning(documents=self.documents, lexicons=self._lexicons, words=self._words)
        return meaning.given(query.node, self.documents.keys())
