"""Who keeps collections in PostgreSQL? A Store: checks what comes, runs transactions, hands out documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice

from psycopg import sql

from callsite.collections.definition import Collection
from callsite.errors import SettingsError, StoreError
from callsite.query.builder import Query
from callsite.query.values import name_problem, shown, text_problem
from callsite.stores.answering import Answering
from callsite.stores.asking import names_of, ready, settled
from callsite.stores.asking import page_of as size_of
from callsite.stores.batching import filled
from callsite.stores.postgres.connections import Connections, Session
from callsite.stores.postgres.definitions import Definitions
from callsite.stores.postgres.documents import documents_of, page_of
from callsite.stores.postgres.engine import PostgresEngine
from callsite.stores.postgres.filters import Filters
from callsite.stores.postgres.layout import Layout
from callsite.stores.postgres.rows import Prepared, prepared
from callsite.stores.postgres.upkeep import health, keep_up, stats
from callsite.stores.postgres.writing import MOST_ROWS, Writing, batches, hold, overlapped
from callsite.stores.rows import Row, change_of, key_problem, refused, row_of
from callsite.stores.terms import Terms
from callsite.stores.values import Candidate, Change, Document, Found, Health, Key, Outcome, Page, Stats


class PostgresStore:
    """Keeps collections in one schema of a database; a Store."""

    def __init__(
        self,
        options: str,
        *,
        schema: str = "callsite",
        partitions: int = 8,
        exact_up_to: int = 50_000,
        connections: int = 4,
        timeout: float = 60.0,
    ) -> None:
        """`options`: a URI or name=value pairs, as libpq takes them; nothing is opened before the first call.

        `partitions`: of collections that are created. `exact_up_to`: as many documents that pass a filter are compared
        one by one; a collection with more gets an approximate index when it is refreshed. `timeout`: seconds for each
        statement, and for a free connection.
        """
        _check(schema, partitions=partitions, exact_up_to=exact_up_to, connections=connections, timeout=timeout)
        self._connections = Connections(options, most=connections, timeout=timeout)
        self._definitions = Definitions(schema)
        self._n_partitions = partitions
        self._exact_up_to = exact_up_to
        self._terms = Terms()

    def create(self, collection: Collection) -> None:
        self._connections.write(
            "create", lambda session: self._definitions.create(session, collection, self._n_partitions)
        )

    def change(self, collection: Collection) -> None:
        self._connections.write("change", lambda session: self._definitions.change(session, collection))

    def drop(self, collection: str) -> bool:
        return self._connections.write("drop", lambda session: self._definitions.drop(session, collection))

    def collections(self) -> tuple[Collection, ...]:
        layouts = self._connections.read("collections", self._definitions.all)
        return tuple(sorted((layout.collection for layout in layouts), key=lambda one: one.name))

    def upsert(self, collection: str, documents: Iterable[Mapping[str, object]]) -> list[Outcome]:
        layout = self._layout(collection)
        writing = Writing(self._connections, layout)
        rows = (row_of(layout.collection, one) for one in documents)
        return self._in_batches(layout, rows, writing.upsert)

    def update(self, collection: str, changes: Iterable[Change]) -> list[Outcome]:
        layout = self._layout(collection)
        writing = Writing(self._connections, layout)
        rows = (change_of(layout.collection, one) for one in changes)
        return self._in_batches(layout, rows, writing.update)

    def delete(self, collection: str, keys: Iterable[Key]) -> list[Outcome]:
        layout = self._layout(collection)
        writing = Writing(self._connections, layout)
        found: list[Outcome] = []
        for batch in batches(_key_row(layout, key) for key in keys):
            found += filled(batch, writing.delete([row.key for row in batch if isinstance(row, Row)]))
        return found

    def delete_orphans(self, collection: str, *, of: Query, keep: AbstractSet[str]) -> int:
        kept = [id for id in keep if isinstance(id, str) and not text_problem(id)]

        def work(session: Session) -> int:
            layout = self._definitions.of(session, collection)
            query = settled(layout.collection, of, "delete_orphans")
            condition = Filters(layout, self._terms.of_match).condition(query.node)
            hold(session, layout)
            statement = sql.SQL("DELETE FROM {} AS t WHERE ({}) AND NOT (t.id = ANY(%s::text[]))")
            return session.affected(statement.format(layout.table, condition.text), (*condition.values, kept))

        return self._connections.write("delete_orphans", work)

    def lookup(
        self, collection: str, keys: Iterable[Key], *, fields: Iterable[str] | None = None
    ) -> list[Document | None]:
        wanted, given = list(keys), None if fields is None else list(fields)

        def work(session: Session) -> list[Document | None]:
            layout = self._definitions.of(session, collection)
            names = names_of(layout.collection, given)
            known = [key for key in wanted if not key_problem(layout.collection, key)]
            found: dict[Key, Document | None] = {}
            for some in _in_parts(known):
                found |= zip(some, documents_of(session, layout, names, some), strict=True)
            return [None if key_problem(layout.collection, key) else found[key] for key in wanted]

        return self._connections.read("lookup", work)

    def search(self, collection: str, query: Query, *, fields: Iterable[str] | None = None) -> Found:
        given = None if fields is None else list(fields)

        def work(session: Session) -> Found:
            layout = self._definitions.of(session, collection)
            names = names_of(layout.collection, given)
            node = ready(layout.collection, query).node
            ranked, has_more = Answering(self._engine(session, layout)).first(node)
            documents = documents_of(session, layout, names, [key for key, _ in ranked])
            candidates = zip(documents, ranked, strict=True)
            return Found(
                candidates=tuple(Candidate(document=one, scores=scores) for one, (_, scores) in candidates if one),
                has_more=has_more,
            )

        return self._connections.read("search", work)

    def count(self, collection: str, query: Query) -> int:
        def work(session: Session) -> int:
            layout = self._definitions.of(session, collection)
            return Answering(self._engine(session, layout)).count(ready(layout.collection, query).node)

        return self._connections.read("count", work)

    def scan(
        self,
        collection: str,
        query: Query,
        *,
        after: Key | None = None,
        size: int = 1_000,
        fields: Iterable[str] | None = None,
    ) -> Page:
        given = None if fields is None else list(fields)

        def work(session: Session) -> Page:
            layout = self._definitions.of(session, collection)
            names, n = names_of(layout.collection, given), size_of(layout.collection, after, size)
            node = settled(layout.collection, query, "scan").node
            condition = Filters(layout, self._terms.of_match).condition(node)
            found = page_of(session, layout, names, condition, after=after, size=n + 1)
            return Page(documents=tuple(found[:n]), after=found[n - 1].key if len(found) > n else None)

        return self._connections.read("scan", work)

    def refresh(self, collection: str) -> None:
        def work(session: Session) -> None:
            keep_up(session, self._definitions.of(session, collection), exact_up_to=self._exact_up_to)

        self._connections.write("refresh", work)

    def health(self) -> Health:
        try:
            version, notes = self._connections.read("health", health)
        except StoreError as error:
            return Health(engine="postgres", version="", is_well=False, notes=(str(error),))
        return Health(engine="postgres", version=version, is_well=not notes, notes=notes)

    def stats(self, collection: str) -> Stats:
        return self._connections.read(
            "stats", lambda session: stats(session, self._definitions.of(session, collection))
        )

    def close(self) -> None:
        self._connections.close()

    def _layout(self, collection: str) -> Layout:
        return self._connections.read("its definition", lambda session: self._definitions.of(session, collection))

    def _engine(self, session: Session, layout: Layout) -> PostgresEngine:
        return PostgresEngine(session, layout, term_weights=self._terms.of_match, exact_up_to=self._exact_up_to)

    def _in_batches(
        self, layout: Layout, rows: Iterable[Row | Outcome], write: Callable[[list[Prepared]], list[Outcome]]
    ) -> list[Outcome]:
        """The outcomes of all rows in order, those among them that were known before."""
        ready = (
            (batch, [prepared(layout, row, self._terms) for row in batch if isinstance(row, Row)])
            for batch in batches(rows)
        )
        return overlapped(ready, lambda item: filled(item[0], write(item[1])))


def _key_row(layout: Layout, key: object) -> Row | Outcome:
    problem = key_problem(layout.collection, key)
    return refused(None, problem) if problem else Row(key=key, fields={}, expected={})  # type: ignore[arg-type]


def _in_parts(keys: Sequence[Key]) -> Iterable[list[Key]]:
    rest = iter(keys)
    while part := list(islice(rest, MOST_ROWS)):
        yield part


def _check(schema: str, **numbers: float) -> None:
    if problem := name_problem(schema):
        raise SettingsError(f"the store's schema: {problem.replace('of a field', 'of a schema')}")
    for name, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, int | float) or number <= 0:
            raise SettingsError(f"the store's {name} is {shown(number)}; it has to be a number above 0")
