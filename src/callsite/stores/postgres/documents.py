"""How do rows become documents? Names of fields and keys in, values as they were given out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC
from typing import Any

from psycopg import sql

from callsite.stores.postgres.connections import Session
from callsite.stores.postgres.filters import Condition
from callsite.stores.postgres.layout import Layout, column_of
from callsite.stores.postgres.lexicon import keys_given
from callsite.stores.postgres.packing import vector_of
from callsite.stores.values import Document, Key

_READ: dict[str, Callable[[Any], Any]] = {
    "timestamp": lambda value: value.astimezone(UTC),
    "integers": tuple,
    "keywords": tuple,
    "vector": vector_of,
}


def documents_of(session: Session, layout: Layout, names: Sequence[str], keys: Sequence[Key]) -> list[Document | None]:
    """Those under the keys, in their order."""
    if not keys:
        return []
    given = keys_given(layout, keys)
    statement = sql.SQL("SELECT place, {columns} FROM {given} JOIN {table} AS t USING ({key})").format(
        columns=_columns(layout, names), given=given.text, table=layout.table, key=layout.key
    )
    found: list[Document | None] = [None] * len(keys)
    for place, routing, id, *values in session.run(statement, given.values):
        found[place - 1] = _document(layout, names, Key(routing, id), values)
    return found


def page_of(
    session: Session, layout: Layout, names: Sequence[str], among: Condition, *, after: Key | None, size: int
) -> list[Document]:
    """The first documents that pass, by their keys, after that one."""
    begun = Condition(sql.SQL("TRUE"))
    if after is not None:
        kind = "bigint" if layout.collection.routing_field.kind == "integer" else "text"
        later = sql.SQL(f"(t.{{}}, t.id) > (%s::{kind}, %s::text)").format(layout.routing)
        begun = Condition(later, (after.routing, after.id))
    statement = sql.SQL(
        "SELECT {columns} FROM {table} AS t WHERE ({among}) AND {begun} ORDER BY {key} LIMIT %s"
    ).format(columns=_columns(layout, names), table=layout.table, among=among.text, begun=begun.text, key=layout.key)
    rows = session.run(statement, (*among.values, *begun.values, size))
    return [_document(layout, names, Key(routing, id), values) for routing, id, *values in rows]


def _columns(layout: Layout, names: Iterable[str]) -> sql.Composed:
    fields = {field.name: field for field in layout.collection.schema.fields}
    columns = [column_of(fields[name]).identifier for name in names]
    return sql.SQL(", ").join([layout.key, *(sql.SQL("t.{}").format(column) for column in columns)])


def _document(layout: Layout, names: Sequence[str], key: Key, values: Sequence[Any]) -> Document:
    kinds = {field.name: field.kind for field in layout.collection.schema.fields}
    found = {}
    for name, value in zip(names, values, strict=True):
        if value is not None:
            read = _READ.get(kinds[name])
            found[name] = read(value) if read else value
    return Document(key=key, fields=found)
