"""Which collections are there, and in which tables? Read anew in every transaction, so that processes agree."""

from __future__ import annotations

import json

import psycopg
from psycopg import sql

from callsite.collections.definition import Collection, change_problem
from callsite.errors import CollectionError, StoreRefused
from callsite.stores.asking import unknown
from callsite.stores.postgres import tables
from callsite.stores.postgres.connections import Session
from callsite.stores.postgres.layout import Layout

_MOST_REMEMBERED = 1_000


class Definitions:
    """The collections of one schema."""

    def __init__(self, schema: str) -> None:
        self._schema = schema
        self._read: dict[str, Collection] = {}  # by its text: checking a definition takes longer than reading it

    def all(self, session: Session) -> list[Layout]:
        """By name; none where nothing was ever made."""
        return self._select(session, "ORDER BY name")

    def of(self, session: Session, name: str, *, changing: bool = False) -> Layout:
        """CollectionError when it is not there; nobody else changes it while this transaction does."""
        found = self._found(session, name, " FOR UPDATE" if changing else "")
        if found is None:
            raise unknown(name, [layout.collection.name for layout in self.all(session)])
        return found

    def create(self, session: Session, collection: Collection, n_partitions: int) -> None:
        collection = collection.again()
        encoding = session.run("SHOW server_encoding")[0][0]
        if encoding != "UTF8":
            raise StoreRefused(f"PostgreSQL: the database keeps texts as {encoding}; make one with ENCODING 'UTF8'")
        tables.prepare(session, self._schema)
        if there := self._found(session, collection.name):
            if there.collection != collection:
                raise CollectionError(f"there is another collection {collection.name}; change or drop that one")
            return
        number = tables.add_definition(session, self._schema, collection)
        tables.make(session, Layout(schema=self._schema, number=number, collection=collection), n_partitions)

    def change(self, session: Session, collection: Collection) -> None:
        collection = collection.again()
        now = self.of(session, collection.name, changing=True)
        if now.collection == collection:
            return
        if problem := change_problem(now.collection, collection):
            raise CollectionError(problem)
        wider = Layout(schema=self._schema, number=now.number, collection=collection)
        known = {field.name for field in now.collection.schema.fields}
        tables.widen(session, wider, [field for field in collection.schema.fields if field.name not in known])
        tables.change_definition(session, self._schema, collection)

    def drop(self, session: Session, name: str) -> bool:
        found = self._found(session, name, " FOR UPDATE")
        if found is not None:
            tables.remove(session, found)
        return found is not None

    def _found(self, session: Session, name: str, lock: str = "") -> Layout | None:
        if "\0" in name:
            return None
        return next(iter(self._select(session, f"WHERE name = %s{lock}", name)), None)

    def _select(self, session: Session, which: str, *values: str) -> list[Layout]:
        """None where nothing was ever made; to look costs less than to ask first whether there is a table."""
        statement = sql.SQL(f"SELECT number, definition::text FROM {{}} {which}")
        try:
            rows = session.run(statement.format(tables.definitions(self._schema)), values)
        except (psycopg.errors.UndefinedTable, psycopg.errors.InFailedSqlTransaction):
            return []
        return [self._layout(number, definition) for number, definition in rows]

    def _layout(self, number: int, definition: str) -> Layout:
        if (collection := self._read.get(definition)) is None:
            if len(self._read) >= _MOST_REMEMBERED:
                self._read.clear()
            collection = self._read[definition] = Collection.from_json(json.loads(definition))
        return Layout(schema=self._schema, number=number, collection=collection)
