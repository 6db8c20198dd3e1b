"""What is kept of a collection's documents? Its tables in SQLite, and how documents get in and out of them.

documents_N   the key and all fields but texts and vectors; `row` is the number by which other parts know a document
texts_N       fields of kind text, apart, because conditions look at documents and need no texts
vectors_N_F   the vectors of field F, NULL for one that was emptied; `stamp` grows with every write, which tells what is
              new
pending_N     rows whose words are not yet in the lexical index as they are here
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Collection as Sized
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from callsite.collections.definition import Collection
from callsite.query.fields import Field, Value
from callsite.stores.embedded.database import Database
from callsite.stores.embedded.filters import Condition, column, restored, stored, vectors_table
from callsite.stores.rows import Row
from callsite.stores.values import Document, Key, Outcome

_TYPES = {"integer": "INTEGER", "boolean": "INTEGER", "timestamp": "INTEGER"}  # all others are kept as text
_INDEXED = ("integer", "keyword", "timestamp")

Fields = dict[str, Value]


class _State:
    """A document while it is written."""

    def __init__(self, row: int, fields: Fields, changed: set[str]) -> None:
        self.row = row
        self.fields = fields
        self.changed = changed


class Documents:
    """The documents of one collection, for use inside a transaction."""

    def __init__(self, database: Database, collection: Collection, number: int) -> None:
        self._database = database
        self.collection = collection
        self.number = number
        schema = collection.schema.fields
        self._columns = [field for field in schema if field.kind not in ("text", "vector")]
        self._texts = [field for field in schema if field.kind == "text"]
        self._vectors = [field for field in schema if field.kind == "vector"]

    # tables

    def create(self) -> None:
        """Make the tables."""
        n, run = self.number, self._database.run
        kind = _type(self.collection.routing_field)
        key = f"routing {kind} NOT NULL, id TEXT NOT NULL"
        run(f"CREATE TABLE documents_{n} (row INTEGER PRIMARY KEY AUTOINCREMENT, {key})")
        run(f"CREATE UNIQUE INDEX documents_{n}_key ON documents_{n} (routing, id)")
        run(f"CREATE TABLE texts_{n} (row INTEGER PRIMARY KEY)")
        run(f"CREATE TABLE pending_{n} (row INTEGER PRIMARY KEY)")
        self.add(self.collection.schema.fields)

    def add(self, fields: Iterable[Field]) -> None:
        """Make room for more fields."""
        n, run = self.number, self._database.run
        for field in fields:
            at = column(self.collection, field.name)
            if field.kind == "vector":
                table = vectors_table(n, field.name)
                run(f"CREATE TABLE {table} (row INTEGER PRIMARY KEY, stamp INTEGER NOT NULL, vector BLOB)")
                run(f"CREATE INDEX {table}_stamp ON {table} (stamp)")
            elif field.kind == "text":
                run(f"ALTER TABLE texts_{n} ADD COLUMN {at} TEXT")
            elif field.name != self.collection.routing:
                run(f"ALTER TABLE documents_{n} ADD COLUMN {at} {_type(field)}")
                if field.kind in _INDEXED:
                    run(f"CREATE INDEX documents_{n}_{at} ON documents_{n} ({at}) WHERE {at} IS NOT NULL")

    def drop(self) -> None:
        """Remove the tables."""
        tables = [f"{name}_{self.number}" for name in ("documents", "texts", "pending")]
        for table in (*tables, *(vectors_table(self.number, field.name) for field in self._vectors)):
            self._database.run(f"DROP TABLE {table}")

    # writing

    def upsert(self, rows: Sequence[Row]) -> list[Outcome]:
        """Write documents one after the other, as if each came alone."""
        states = self._states(rows)
        last = self._database.value("SELECT seq FROM sqlite_sequence WHERE name = ?", f"documents_{self.number}") or 0
        outcomes = []
        for row in rows:
            state = states.get(row.key)
            is_new = state is None
            if state is None:
                last += 1
                state = states[row.key] = _State(last, {}, set(self.collection.schema.kinds()))
            is_changed = _merge(state, row)
            outcomes.append(
                Outcome(key=row.key, state="created" if is_new else "updated" if is_changed else "unchanged")
            )
        self._write(states)
        return outcomes

    def update(self, rows: Sequence[Row]) -> list[Outcome]:
        """Write fields of documents that are there and as expected."""
        states = self._states(rows)
        outcomes = [_updated(states.get(row.key), row) for row in rows]
        self._write(states)
        return outcomes

    def _states(self, rows: Sequence[Row]) -> dict[Key, _State]:
        """Those documents that are there, with the fields that the rows are about."""
        about = {name for row in rows for name in (*row.fields, *row.expected)} - {"id"}
        found = self.read([row.key for row in rows], [name for name in self.collection.schema.kinds() if name in about])
        return {key: _State(row, fields, set()) for key, (row, fields) in found.items()}

    def _write(self, states: Mapping[Key, _State]) -> None:
        dirty = {key: state for key, state in states.items() if state.changed}
        n, run_many = self.number, self._database.run_many
        self._write_columns(f"documents_{n}", ["routing", "id"], self._columns, dirty)
        self._write_columns(f"texts_{n}", [], self._texts, dirty)
        for field in self._vectors:
            self._write_vectors(field.name, [state for state in dirty.values() if field.name in state.changed])
        sources = {source for _, source in self.collection.lexical}
        stale = [(state.row,) for state in dirty.values() if sources & state.changed]
        run_many(f"INSERT OR IGNORE INTO pending_{n} VALUES (?)", stale)

    def _write_columns(self, table: str, key: list[str], fields: list[Field], states: Mapping[Key, _State]) -> None:
        """One statement for those documents in which the same fields changed; columns that did not stay untouched."""
        groups: dict[tuple[str, ...], list[tuple[Key, _State]]] = {}
        for one, state in states.items():
            changed = tuple(f.name for f in fields if f.name in state.changed and f.name != self.collection.routing)
            groups.setdefault(changed, []).append((one, state))
        for names, members in groups.items():
            columns = ["row", *key, *(column(self.collection, name) for name in names)]
            sets = ", ".join(f"{one} = excluded.{one}" for one in columns[1 + len(key) :])
            self._database.run_many(
                f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
                f" ON CONFLICT (row) DO {f'UPDATE SET {sets}' if sets else 'NOTHING'}",
                [
                    (
                        state.row,
                        *((one.routing, one.id) if key else ()),
                        *(_bound(state.fields.get(name)) for name in names),
                    )
                    for one, state in members
                ],
            )

    def _write_vectors(self, name: str, states: Iterable[_State]) -> None:
        table, stamp = vectors_table(self.number, name), self._database.next_stamp()
        self._database.run_many(
            f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)",
            [(state.row, stamp, _vector(state.fields.get(name))) for state in states],
        )

    def delete(self, rows: Sized[int]) -> None:
        """Remove documents."""
        if not rows:
            return
        n, gone = self.number, [(row,) for row in rows]
        vectors = (vectors_table(n, field.name) for field in self._vectors)
        for table in (f"documents_{n}", f"texts_{n}", *vectors):
            self._database.run_many(f"DELETE FROM {table} WHERE row = ?", gone)
        self._database.run_many(f"INSERT OR IGNORE INTO pending_{n} VALUES (?)", gone)

    # reading

    def rows_of(self, keys: Iterable[Key]) -> dict[Key, int]:
        """The rows of those documents that are there."""
        query = f"SELECT d.routing, d.id, d.row FROM {_KEYS} JOIN documents_{self.number} d ON {_HAS_KEY}"
        return {Key(routing, id): row for routing, id, row in self._database.rows(query, _listed(keys))}

    def keys_of(self, rows: Sized[int], condition: Condition) -> dict[int, Key]:
        """The keys of those of the rows that are there and meet a condition."""
        query = f"SELECT d.row, d.routing, d.id FROM documents_{self.number} d WHERE {_IN_ROWS} AND {condition.sql}"
        found = self._database.rows(query, json.dumps(list(rows)), *condition.values)
        return {row: Key(routing, id) for row, routing, id in found}

    def read(self, keys: Iterable[Key], names: Sequence[str]) -> dict[Key, tuple[int, Fields]]:
        """The rows and fields of those documents that are there."""
        fields = [field for name in names if (field := self.collection.schema.field(name))]
        plain = [field for field in fields if field.kind != "vector"]
        columns = self._selected(plain)
        texts = f" LEFT JOIN texts_{self.number} t ON t.row = d.row" if any(f.kind == "text" for f in plain) else ""
        query = (
            f"SELECT d.row, d.routing, d.id{columns} FROM {_KEYS} JOIN documents_{self.number} d ON {_HAS_KEY}{texts}"
        )
        found: dict[Key, tuple[int, Fields]] = {}
        for row, routing, id, *values in self._database.rows(query, _listed(keys)):
            kept = {f.name: restored(f, value) for f, value in zip(plain, values, strict=True) if value is not None}
            found[Key(routing, id)] = row, kept
        for field in fields:
            if field.kind == "vector":
                vectors = self._vectors_of(field.name, [row for row, _ in found.values()])
                for row, kept in found.values():
                    if row in vectors:
                        kept[field.name] = vectors[row]
        return found

    def _vectors_of(self, name: str, rows: list[int]) -> dict[int, tuple[float, ...]]:
        query = f"SELECT d.row, d.vector FROM {vectors_table(self.number, name)} d WHERE {_IN_ROWS}"
        found = self._database.rows(f"{query} AND d.vector IS NOT NULL", json.dumps(rows))
        return {row: tuple(array("f", kept)) for row, kept in found}

    def documents(self, keys: Sequence[Key], names: Sequence[str]) -> dict[Key, Document]:
        """Those of the documents that are there."""
        return {key: Document(key=key, fields=fields) for key, (_, fields) in self.read(keys, names).items()}

    def _selected(self, fields: Iterable[Field]) -> str:
        """Their columns behind others, of the documents `d` and their texts `t`."""
        places = (("t" if field.kind == "text" else "d", column(self.collection, field.name)) for field in fields)
        return "".join(f", {table}.{name}" for table, name in places)

    def sources(self, rows: Sequence[int]) -> Iterator[tuple[int, dict[str, object]]]:
        """The fields of those of the rows that are there whose words are searched."""
        names = list(dict.fromkeys(source for _, source in self.collection.lexical))
        fields = [field for name in names if (field := self.collection.schema.field(name))]
        columns = self._selected(fields)
        query = (
            f"SELECT d.row{columns} FROM documents_{self.number} d LEFT JOIN texts_{self.number} t ON t.row = d.row"
            f" WHERE {_IN_ROWS}"
        )
        for row, *values in self._database.rows(query, json.dumps(rows)):
            yield row, dict(zip(names, values, strict=True))


_KEYS = "json_each(?) j"
_HAS_KEY = "d.routing = json_extract(j.value, '$[0]') AND d.id = json_extract(j.value, '$[1]')"
_IN_ROWS = "d.row IN (SELECT value FROM json_each(?))"


def _listed(keys: Iterable[Key]) -> str:
    return json.dumps(list(dict.fromkeys((key.routing, key.id) for key in keys)), ensure_ascii=False)


def _type(field: Field) -> str:
    return _TYPES.get(field.kind, "TEXT")


def _bound(value: Value | None) -> object:
    return None if value is None else stored(value)


def _vector(value: Value | None) -> bytes | None:
    return None if value is None else array("f", cast("tuple[float, ...]", value)).tobytes()


def _updated(state: _State | None, row: Row) -> Outcome:
    if state is None:
        return Outcome(key=row.key, state="missing")
    if any(state.fields.get(name) != value for name, value in row.expected.items()):
        return Outcome(key=row.key, state="changed")
    return Outcome(key=row.key, state="updated" if _merge(state, row) else "unchanged")


def _merge(state: _State, row: Row) -> bool:
    """Whether anything is different now."""
    changed = {name for name, value in row.fields.items() if state.fields.get(name) != value}
    for name in changed:
        value = row.fields[name]
        if value is None:
            state.fields.pop(name, None)
        else:
            state.fields[name] = value
    state.changed |= changed
    return bool(changed)
