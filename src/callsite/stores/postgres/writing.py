"""How do many rows get into a table, each with its own outcome? They are copied beside it and merged by statements.

Rows of one batch have different keys, so the order among them means nothing. They are written by their shapes, in the
order of their keys, so that writers wait for each other and never in a circle. What is as it was is not written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import TypeVar

import psycopg
from psycopg import sql

from callsite.query.fields import Value
from callsite.stores.batching import cut
from callsite.stores.postgres.connections import Connections, Session
from callsite.stores.postgres.failing import is_of_a_row, row_problem
from callsite.stores.postgres.layout import Column, Layout, column_of, named
from callsite.stores.postgres.lexicon import keys_given
from callsite.stores.postgres.packing import blocks
from callsite.stores.postgres.rows import (
    Prepared,
    Shape,
    expected_columns,
    given_columns,
    packed_rows,
    shape_of,
    written_columns,
)
from callsite.stores.postgres.tables import definitions
from callsite.stores.rows import Row
from callsite.stores.values import Key, Outcome

Item = TypeVar("Item")

MOST_ROWS = 5_000  # of one batch
_MOST_WEIGHT = 16_000_000  # of one batch: letters and numbers, roughly its bytes


def batches(rows: Iterable[Row | Outcome]) -> Iterator[list[Row | Outcome]]:
    """Rows in order, none with the key of another of its batch."""
    return cut(rows, most_rows=MOST_ROWS, most_weight=_MOST_WEIGHT, weight=_weight)


def _weight(value: Value | None) -> int:
    return len(value) if isinstance(value, str | tuple) else 0


_Write = Callable[[Session, Layout, Shape, sql.Identifier, Sequence[Prepared]], list[str]]


def overlapped(prepared: Iterable[Item], write: Callable[[Item], list[Outcome]]) -> list[Outcome]:
    """What became of all items, in order: while the server writes one, the next is made ready."""
    from concurrent.futures import Future, ThreadPoolExecutor

    found: list[Outcome] = []
    writing: Future[list[Outcome]] | None = None
    with ThreadPoolExecutor(1) as pool:
        for item in prepared:
            if writing is not None:
                found += writing.result()
            writing = pool.submit(write, item)
    return found + writing.result() if writing is not None else found


class Writing:
    """Writes rows of one collection."""

    def __init__(self, connections: Connections, layout: Layout) -> None:
        self._connections = connections
        self._layout = layout

    def upsert(self, rows: Sequence[Prepared]) -> list[Outcome]:
        return self._by_shape(rows, "upsert", _merged)

    def update(self, rows: Sequence[Prepared]) -> list[Outcome]:
        return self._by_shape(rows, "update", _changed)

    def delete(self, keys: Sequence[Key]) -> list[Outcome]:
        """Of keys that are all different."""
        found = self._connections.write("delete", lambda session: self._deleted(session, keys))
        return [Outcome(key=key, state="deleted" if key in found else "missing") for key in keys]

    def _by_shape(self, rows: Sequence[Prepared], doing: str, write: _Write) -> list[Outcome]:
        by_shape: dict[Shape, list[Prepared]] = {}
        for one in sorted(rows, key=lambda one: (one.row.key.routing, one.row.key.id)):
            by_shape.setdefault(shape_of(one.row), []).append(one)
        found = {
            outcome.key: outcome
            for shape, some in by_shape.items()
            for outcome in self._written(shape, some, doing, write)
        }
        return [found[one.row.key] for one in rows]

    def _written(self, shape: Shape, rows: list[Prepared], doing: str, write: _Write) -> list[Outcome]:
        """Halved as long as the server refuses something of it: in the end the bad row is alone."""
        try:
            states = self._connections.write(doing, lambda session: self._attempt(session, shape, rows, write))
        except RowError as error:
            if len(rows) == 1:
                return [Outcome(key=rows[0].row.key, state="refused", problem=str(error))]
            half = len(rows) // 2
            return [
                outcome for some in (rows[:half], rows[half:]) for outcome in self._written(shape, some, doing, write)
            ]
        return [Outcome(key=one.row.key, state=state) for one, state in zip(rows, states, strict=True)]

    def _attempt(self, session: Session, shape: Shape, rows: list[Prepared], write: _Write) -> list[str]:
        hold(session, self._layout)
        try:
            incoming = _copied(session, self._layout, shape, rows)
            return write(session, self._layout, shape, incoming, rows)
        except psycopg.Error as error:
            if is_of_a_row(error):
                raise RowError(row_problem(error)) from error
            raise

    def _deleted(self, session: Session, keys: Sequence[Key]) -> set[Key]:
        hold(session, self._layout)
        given = keys_given(self._layout, sorted(keys, key=lambda key: (key.routing, key.id)))
        statement = sql.SQL(
            "WITH held AS MATERIALIZED (SELECT {key} FROM {table} AS t JOIN {given} USING ({key}) "
            "ORDER BY {key} FOR UPDATE OF t) DELETE FROM {table} USING held WHERE {same} RETURNING {returned}"
        ).format(
            key=self._layout.key,
            table=self._layout.table,
            given=given.text,
            same=_same_key(self._layout, "held"),
            returned=_qualified_key(self._layout, "held"),
        )
        return {Key(routing, id) for routing, id in session.run(statement, given.values)}


class RowError(Exception):
    """The server refuses a row of those that were written together."""


def hold(session: Session, layout: Layout) -> None:
    """The collection stays as it is until the transaction ends; plans suit few rows in a large table."""
    statement = sql.SQL("SELECT 1 FROM {} WHERE name = %s AND number = %s FOR SHARE").format(definitions(layout.schema))
    if not session.run(statement, (layout.collection.name, layout.number)):
        raise psycopg.errors.UndefinedTable
    session.run(
        "SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), "
        "set_config('max_parallel_workers_per_gather', '0', true)"
    )


def _copied(session: Session, layout: Layout, shape: Shape, rows: list[Prepared]) -> sql.Identifier:
    """A temporary table `place, routing, id, written…, expected…` that holds the rows."""
    columns = [Column(name="_place", kind="small"), *_key_columns(layout), *written_columns(layout, shape)]
    columns += _as_expected(expected_columns(layout, shape))
    described = [sql.SQL("{} {}").format(column.identifier, column.type) for column in columns]
    digest = blake2b(repr(shape).encode(), digest_size=8).hexdigest()
    name = f"callsite_{layout.number}_{digest}"
    session.make_temporary(name, sql.SQL(", ").join(described))
    incoming = sql.Identifier(name)
    statement = sql.SQL("COPY {} FROM STDIN (FORMAT binary)").format(incoming)
    session.copy(statement, blocks(columns, packed_rows(layout, shape, rows)))
    return incoming


def _merged(
    session: Session, layout: Layout, shape: Shape, incoming: sql.Identifier, rows: Sequence[Prepared]
) -> list[str]:
    """What is not there is inserted; of the rest, what differs is updated."""
    columns = named([*_key_columns(layout), *written_columns(layout, shape)])
    made = session.run(
        sql.SQL(
            "INSERT INTO {table} ({columns}) SELECT {columns} FROM {incoming} AS i "
            "WHERE NOT EXISTS (SELECT FROM {table} AS t WHERE {same}) ORDER BY {key} ON CONFLICT DO NOTHING "
            "RETURNING {key}"
        ).format(
            table=layout.table, columns=columns, incoming=incoming, key=layout.key, same=_same_key(layout, "i", "t")
        )
    )
    places = {(one.row.key.routing, one.row.key.id): place for place, one in enumerate(rows)}
    created = [(places[key],) for key in made]
    updated = _updated(session, layout, shape, incoming) if len(created) < len(rows) else []
    return _states(len(rows), created=created, updated=updated)


def _changed(
    session: Session, layout: Layout, shape: Shape, incoming: sql.Identifier, rows: Sequence[Prepared]
) -> list[str]:
    """The rows are locked before they are compared, so that what is told of them holds until they are written."""
    found = session.run(
        sql.SQL(
            'SELECT "_place", {as_expected} FROM {incoming} AS i JOIN {table} AS t ON {same} '
            "ORDER BY {key} FOR NO KEY UPDATE OF t"
        ).format(
            as_expected=_is_as_expected(layout, shape),
            incoming=incoming,
            table=layout.table,
            same=_same_key(layout, "i", "t"),
            key=_qualified_key(layout, "t"),
        )
    )
    there = {place for place, _ in found}
    missing = [(place,) for place in range(len(rows)) if place not in there]
    changed = [(place,) for place, is_expected in found if not is_expected]
    updated = _updated(session, layout, shape, incoming)
    return _states(len(rows), missing=missing, changed=changed, updated=updated)


def _updated(session: Session, layout: Layout, shape: Shape, incoming: sql.Identifier) -> list[tuple[int, ...]]:
    """The places of rows that were as expected and not yet as given, and now are."""
    columns = written_columns(layout, shape)
    compared = given_columns(layout, shape)
    if not compared:
        return []
    statement = sql.SQL(
        "UPDATE {table} AS t SET {set} FROM {incoming} AS i WHERE {same} AND ({differs}) AND {as_expected} "
        'RETURNING "_place"'
    ).format(
        table=layout.table,
        set=sql.SQL(", ").join(sql.SQL("{0} = i.{0}").format(column.identifier) for column in columns),
        incoming=incoming,
        same=_same_key(layout, "i", "t"),
        differs=sql.SQL(" OR ").join(
            sql.SQL("t.{0} IS DISTINCT FROM i.{0}").format(column.identifier) for column in compared
        ),
        as_expected=_is_as_expected(layout, shape),
    )
    return session.run(statement)


def _is_as_expected(layout: Layout, shape: Shape) -> sql.Composable:
    columns = expected_columns(layout, shape)
    pairs = zip(columns, _as_expected(columns), strict=True)
    each: list[sql.Composable] = [
        sql.SQL("t.{} IS NOT DISTINCT FROM i.{}").format(one.identifier, other.identifier) for one, other in pairs
    ]
    return sql.SQL("({})").format(sql.SQL(" AND ").join(each or [sql.SQL("TRUE")]))


def _as_expected(columns: Iterable[Column]) -> list[Column]:
    """The same kinds under names of their own."""
    return [Column(name=f"_expected_{n}", kind=one.kind, dims=one.dims) for n, one in enumerate(columns)]


def _key_columns(layout: Layout) -> list[Column]:
    return [column_of(layout.collection.routing_field), Column(name="id", kind="keyword")]


def _same_key(layout: Layout, one: str, other: str | None = None) -> sql.Composed:
    tables = {"one": sql.Identifier(one), "key": layout.routing}
    if other is None:
        return sql.SQL("{table}.{key} = {one}.{key} AND {table}.id = {one}.id").format(table=layout.table, **tables)
    return sql.SQL("{other}.{key} = {one}.{key} AND {other}.id = {one}.id").format(
        other=sql.Identifier(other), **tables
    )


def _qualified_key(layout: Layout, table: str) -> sql.Composed:
    return sql.SQL("{0}.{1}, {0}.id").format(sql.Identifier(table), layout.routing)


def _states(n: int, **places: Sequence[tuple[int, ...]]) -> list[str]:
    """The state of each place; unchanged where nothing else is known."""
    states = ["unchanged"] * n
    for state, some in places.items():
        for (place,) in some:
            states[place] = state
    return states
