"""Who keeps collections in Elasticsearch or OpenSearch? A Store: checks what comes, asks, hands out documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import nullcontext

from callsite.collections.definition import Collection
from callsite.errors import SettingsError, StoreError
from callsite.query.builder import Query
from callsite.query.nodes import is_settled
from callsite.query.values import shown
from callsite.stores.answering import Answering
from callsite.stores.asking import names_of, page_of, ready, settled
from callsite.stores.batching import filled
from callsite.stores.lucene.batching import MOST_ROWS, batches
from callsite.stores.lucene.definitions import Definitions
from callsite.stores.lucene.dialect import Dialect
from callsite.stores.lucene.documents import document_of
from callsite.stores.lucene.engine import LuceneEngine
from callsite.stores.lucene.filters import Filters
from callsite.stores.lucene.mapping import Place
from callsite.stores.lucene.orphans import delete_orphans
from callsite.stores.lucene.server import Server, Wire
from callsite.stores.lucene.snapshot import MOST_HITS, Snapshot, snapshot
from callsite.stores.lucene.upkeep import health, stats
from callsite.stores.lucene.writing import Writing, address_of, read
from callsite.stores.rows import Row, change_of, key_problem, refused, row_of
from callsite.stores.seam import Store
from callsite.stores.terms import Terms
from callsite.stores.values import Candidate, Change, Document, Found, Health, Key, Outcome, Page, Stats
from callsite.values import dataclass

_PREFIX = re.compile(r"[a-z][a-z0-9_-]{0,99}|")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How collections lie on a server, whichever it is."""

    prefix: str = "callsite-"  #: of the names of all its indices
    shards: int = 1  #: of collections that are created
    replicas: int = 1
    exact_up_to: int = 20_000  #: so many documents that pass a filter are compared one by one

    def problem(self) -> str:
        """What can't be meant, "" for nothing."""
        if not isinstance(self.prefix, str) or not _PREFIX.fullmatch(self.prefix):
            return f"prefix is {shown(self.prefix)}; write small letters, digits, - and _, a letter first"
        for name, least in (("shards", 1), ("replicas", 0), ("exact_up_to", 0)):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, int) or number < least:
                return f"{name} is {shown(number)}; it has to be an integer, at least {least}"
        return ""


class LuceneStore(Store):
    """Keeps each collection in an index of its own; a Store."""

    def __init__(self, wire: Wire, dialect: Dialect, options: Options) -> None:
        if problem := options.problem():
            raise SettingsError(f"the store's {problem}")
        self._server = Server(wire, dialect.product)
        self._dialect = dialect
        self._options = options
        self._definitions = Definitions(
            self._server, dialect, prefix=options.prefix, shards=options.shards, replicas=options.replicas
        )
        self._terms = Terms()

    def create(self, collection: Collection) -> None:
        self._definitions.create(collection.again())

    def change(self, collection: Collection) -> None:
        self._definitions.change(collection.again())

    def drop(self, collection: str) -> bool:
        return self._definitions.drop(collection)

    def collections(self) -> tuple[Collection, ...]:
        return self._definitions.all()

    def upsert(self, collection: str, documents: Iterable[Mapping[str, object]]) -> list[Outcome]:
        place, writing = self._writing(collection)
        found: list[Outcome] = []
        for batch in batches(row_of(place.collection, one) for one in documents):
            found += filled(batch, writing.upsert(_rows(batch)))
        return found

    def update(self, collection: str, changes: Iterable[Change]) -> list[Outcome]:
        place, writing = self._writing(collection)
        found: list[Outcome] = []
        for batch in batches(change_of(place.collection, one) for one in changes):
            found += filled(batch, writing.update(_rows(batch)))
        return found

    def delete(self, collection: str, keys: Iterable[Key]) -> list[Outcome]:
        place, writing = self._writing(collection)
        found: list[Outcome] = []
        for batch in batches(_key_row(place.collection, key) for key in keys):
            found += filled(batch, writing.delete(_rows(batch)))
        return found

    def delete_orphans(self, collection: str, *, of: Query, keep: AbstractSet[str]) -> int:
        place = self._definitions.of(collection)
        node = settled(place.collection, of, "delete_orphans").node
        condition = Filters(place.collection, self._terms.of_match).condition(node)
        return delete_orphans(self._server, place.alias, condition, keep)

    def lookup(
        self, collection: str, keys: Iterable[Key], *, fields: Iterable[str] | None = None
    ) -> list[Document | None]:
        place = self._definitions.of(collection)
        names, wanted = names_of(place.collection, fields), list(keys)
        known = list(dict.fromkeys(key for key in wanted if not key_problem(place.collection, key)))
        found: dict[Key, Document] = {}
        for at in range(0, len(known), MOST_ROWS):
            some = known[at : at + MOST_ROWS]
            docs = [address_of(key) | {"_source": list(names) or False} for key in some]
            for key, one in zip(some, read(self._server, "lookup", place.alias, docs), strict=True):
                if one["found"]:
                    found[key] = document_of(place.collection, names, key, one.get("_source", {}))
        return [None if key_problem(place.collection, key) else found.get(key) for key in wanted]

    def search(self, collection: str, query: Query, *, fields: Iterable[str] | None = None) -> Found:
        place = self._definitions.of(collection)
        names, node = names_of(place.collection, fields), ready(place.collection, query).node
        with snapshot(self._server, self._dialect, place.alias, "search") as state:
            engine = self._engine(state, place, names)
            first, has_more = Answering(engine).first(node)
            documents = engine.documents([key for key, _ in first])
        found = tuple(Candidate(document=documents[key], scores=scores) for key, scores in first)
        return Found(candidates=found, has_more=has_more)

    def count(self, collection: str, query: Query) -> int:
        place = self._definitions.of(collection)
        node = ready(place.collection, query).node
        if is_settled(node):  # one request, which needs no state to be held
            return self._engine(Snapshot(self._server, place.alias), place).count(node)
        with snapshot(self._server, self._dialect, place.alias, "count") as state:
            return Answering(self._engine(state, place)).count(node)

    def scan(
        self,
        collection: str,
        query: Query,
        *,
        after: Key | None = None,
        size: int = 1_000,
        fields: Iterable[str] | None = None,
    ) -> Page:
        place = self._definitions.of(collection)
        names, n = names_of(place.collection, fields), page_of(place.collection, after, size)
        node = settled(place.collection, query, "scan").node
        is_one_request = n < MOST_HITS
        whole = snapshot(self._server, self._dialect, place.alias, "scan")
        with nullcontext(Snapshot(self._server, place.alias)) if is_one_request else whole as state:
            engine = self._engine(state, place, names)
            keys = engine.scan(node, after, n + 1)
            documents = engine.documents(keys[:n])
        found = tuple(documents[key] for key in keys[:n])
        return Page(documents=found, after=keys[n - 1] if len(keys) > n else None)

    def refresh(self, collection: str) -> None:
        self._server.ask("refresh", "POST", f"/{self._definitions.of(collection).alias}/_refresh")

    def health(self) -> Health:
        try:
            return health(self._server, self._dialect.engine)
        except StoreError as error:
            return Health(engine=self._dialect.engine, version="", is_well=False, notes=(str(error),))

    def stats(self, collection: str) -> Stats:
        return stats(Snapshot(self._server, (place := self._definitions.of(collection)).alias), place.collection)

    def close(self) -> None:
        self._server.close()

    def _writing(self, collection: str) -> tuple[Place, Writing]:
        place = self._definitions.of(collection)
        return place, Writing(self._server, place, self._terms)

    def _engine(self, state: Snapshot, place: Place, names: tuple[str, ...] = ()) -> LuceneEngine:
        return LuceneEngine(
            state, self._dialect, place, self._terms, names=names, exact_up_to=self._options.exact_up_to
        )


def _rows(batch: Iterable[Row | Outcome]) -> list[Row]:
    return [row for row in batch if isinstance(row, Row)]


def _key_row(collection: Collection, key: object) -> Row | Outcome:
    problem = key_problem(collection, key)
    return refused(None, problem) if problem else Row(key=key, fields={}, expected={})  # type: ignore[arg-type]
