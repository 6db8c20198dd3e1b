"""How do the tables of a collection come to be, grow and go? Statements of definition, run in the caller's transaction.

One table for each collection, in partitions by the hash of the routing value. The counts of terms are kept right by
triggers, whatever writes or deletes: BM25 needs them for the whole collection.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from psycopg import sql

from callsite.collections.definition import Collection
from callsite.query.fields import ID, Field
from callsite.stores.postgres.connections import Session
from callsite.stores.postgres.filters import is_shortened
from callsite.stores.postgres.layout import (
    DOCUMENTS,
    INDEXED_LETTERS,
    LEXICAL_NUMBERS,
    MOST_HALVED,
    MOST_INDEXED,
    Column,
    Layout,
    column_of,
    lexical_columns,
    shortened_column,
)

_LOCK = 0x63616C6C  # of all who define something here: "call"
#: Bytes from which texts are moved out of a row, so that vectors and keys are read without them.
_TOAST_TARGET = 256
_PENDING_KIB = 8_192  # of a GIN index: what is merged in one go


def definitions(schema: str) -> sql.Identifier:
    return sql.Identifier(schema, "callsite_collections")


def prepare(session: Session, schema: str) -> None:
    """The schema, pgvector and the table of definitions are there; only one process makes them at a time."""
    session.run("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (_LOCK, schema))
    if not session.run("SELECT 1 FROM pg_extension WHERE extname = 'vector'"):
        session.run("CREATE EXTENSION IF NOT EXISTS vector")
    if not session.run("SELECT 1 FROM pg_namespace WHERE nspname = %s", (schema,)):
        session.run(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
    session.run(
        sql.SQL(
            'CREATE TABLE IF NOT EXISTS {} (name text COLLATE "C" PRIMARY KEY, '
            "number integer GENERATED ALWAYS AS IDENTITY, definition jsonb NOT NULL)"
        ).format(definitions(schema))
    )


def add_definition(session: Session, schema: str, collection: Collection) -> int:
    """Its number."""
    statement = "INSERT INTO {} (name, definition) VALUES (%s, %s) RETURNING number"
    kept = json.dumps(collection.to_json())
    return int(session.run(sql.SQL(statement).format(definitions(schema)), (collection.name, kept))[0][0])


def change_definition(session: Session, schema: str, collection: Collection) -> None:
    statement = sql.SQL("UPDATE {} SET definition = %s WHERE name = %s").format(definitions(schema))
    session.run(statement, (json.dumps(collection.to_json()), collection.name))


def make(session: Session, layout: Layout, n_partitions: int) -> None:
    """The tables of a new collection."""
    fields = layout.collection.schema.fields
    own = [sql.SQL('id text COLLATE "C" NOT NULL'), *map(_definition, map(column_of, fields))]
    own += [_lexical_definition(column) for to in layout.lexical() for column in lexical_columns(to)]
    own += [_definition(shortened_column(one)) for one in fields if one.kind == "keywords"]
    session.run(
        sql.SQL("CREATE TABLE {} ({}, PRIMARY KEY ({})) PARTITION BY HASH ({})").format(
            layout.table, sql.SQL(", ").join(own), layout.key, layout.routing
        )
    )
    for n in range(n_partitions):
        _make_partition(session, layout, n, n_partitions)
    of_keywords = [to for to, source in layout.collection.lexical if _is_keyword(layout, source)]
    columns = [column_of(ID), *map(column_of, fields), *(lexical_columns(to)[0] for to in of_keywords)]
    _store_inline(session, layout, columns)
    _make_counts(session, layout)
    _make_indexes(session, layout, fields)
    for to in layout.lexical():
        _make_gin(session, layout, lexical_columns(to)[0])
        _leave_unanalysed(session, layout, lexical_columns(to)[0])


def widen(session: Session, layout: Layout, added: Iterable[Field]) -> None:
    """More fields, which are empty in all documents; it takes no time that grows with their number."""
    added = list(added)
    columns = [column_of(one) for one in added] + [shortened_column(one) for one in added if one.kind == "keywords"]
    if columns:
        more = sql.SQL(", ").join(sql.SQL("ADD COLUMN {}").format(_definition(column)) for column in columns)
        session.run(sql.SQL("ALTER TABLE {} {}").format(layout.table, more))
    _store_inline(session, layout, columns)
    _make_indexes(session, layout, added)


def remove(session: Session, layout: Layout) -> None:
    """All tables of a collection, and its definition."""
    statement = sql.SQL("DELETE FROM {} WHERE name = %s").format(definitions(layout.schema))
    session.run(statement, (layout.collection.name,))
    session.run(sql.SQL("DROP TABLE IF EXISTS {}, {}").format(layout.table, layout.counts))
    session.run(sql.SQL("DROP FUNCTION IF EXISTS {}()").format(layout.counting))


def index_vectors(session: Session, layout: Layout, field: Field) -> None:
    """An HNSW index for cosines; nothing to do when it is there, or when a vector is too long for it."""
    if (found := hnsw_expression(field)) is None:
        return
    expression, operators = found
    session.run(
        sql.SQL("CREATE INDEX IF NOT EXISTS {} ON {} USING hnsw ({} {})").format(
            sql.Identifier(_hnsw_name(layout, field)), layout.table, expression, operators
        )
    )


def has_index(session: Session, layout: Layout, field: Field) -> bool:
    name = sql.Identifier(layout.schema, _hnsw_name(layout, field)).as_string(None)
    return bool(session.run("SELECT to_regclass(%s) IS NOT NULL", (name,))[0][0])


def hnsw_expression(field: Field) -> tuple[sql.Composable, sql.Composable] | None:
    """What is indexed and with which operators; None when no index takes so many dimensions."""
    column = column_of(field).identifier
    if field.dims <= MOST_INDEXED:
        return column, sql.SQL("vector_cosine_ops")
    if field.dims <= MOST_HALVED:
        cast = sql.SQL(f"::halfvec({int(field.dims)})")
        return sql.SQL("(({}){})").format(column, cast), sql.SQL("halfvec_cosine_ops")
    return None


def _hnsw_name(layout: Layout, field: Field) -> str:
    place = [one.name for one in layout.collection.vector_fields()].index(field.name)
    return f"{layout.name}_{field.name[:12]}_{place}_hnsw"


def _definition(column: Column) -> sql.Composed:
    return sql.SQL("{} {}").format(column.identifier, column.type)


def _lexical_definition(column: Column) -> sql.Composed:
    nothing = " NOT NULL DEFAULT 0" if column.kind == "small" else ""
    return sql.SQL("{}{}").format(_definition(column), sql.SQL(nothing))


def _make_partition(session: Session, layout: Layout, n: int, n_partitions: int) -> None:
    session.run(
        sql.SQL("CREATE TABLE {} PARTITION OF {} FOR VALUES WITH (MODULUS {}, REMAINDER {}) WITH ({})").format(
            layout.partition(n),
            layout.table,
            sql.Literal(n_partitions),
            sql.Literal(n),
            sql.SQL(f"toast_tuple_target = {_TOAST_TARGET}"),
        )
    )


def _store_inline(session: Session, layout: Layout, columns: Iterable[Column]) -> None:
    """Only texts and their terms leave a row when it is too long: what is filtered, ordered and compared is in it."""
    inline = [sql.SQL("ALTER COLUMN {} SET STORAGE MAIN").format(one.identifier) for one in columns if _is_inline(one)]
    if inline:
        session.run(sql.SQL("ALTER TABLE {} {}").format(layout.table, sql.SQL(", ").join(inline)))


def _is_inline(column: Column) -> bool:
    return column.kind in ("keyword", "keywords", "integers", "vector")


def _is_keyword(layout: Layout, name: str) -> bool:
    return any(field.name == name and field.kind == "keyword" for field in layout.collection.schema.fields)


def _make_indexes(session: Session, layout: Layout, fields: Iterable[Field]) -> None:
    """For what is filtered by: keywords by their beginnings, numbers, times, elements of lists."""
    for field in fields:
        column = column_of(field).identifier
        if is_shortened(layout, field):
            _make_btree(session, layout, sql.SQL("left({}, {})").format(column, sql.Literal(INDEXED_LETTERS)))
        elif field.kind in ("integer", "timestamp") and field.name != layout.collection.routing:
            _make_btree(session, layout, column)
        elif field.kind == "integers":
            _make_gin(session, layout, column_of(field))
        elif field.kind == "keywords":
            _make_gin(session, layout, shortened_column(field))


def _leave_unanalysed(session: Session, layout: Layout, column: Column) -> None:
    """Counting the elements of all lists takes seconds, and the counts of terms are known better elsewhere."""
    statement = sql.SQL("ALTER TABLE {} ALTER COLUMN {} SET STATISTICS 0")
    session.run(statement.format(layout.table, column.identifier))


def _make_btree(session: Session, layout: Layout, expression: sql.Composable) -> None:
    session.run(sql.SQL("CREATE INDEX ON {} ({})").format(layout.table, expression))


def _make_gin(session: Session, layout: Layout, column: Column) -> None:
    session.run(
        sql.SQL("CREATE INDEX ON {} USING gin ({}) WITH (gin_pending_list_limit = {})").format(
            layout.table, column.identifier, sql.Literal(_PENDING_KIB)
        )
    )


#: Its plans are kept for a session. One for few rows would join the old and the new ones row by row, and take minutes
#: for 5,000: nested loops are what it does without.
_COUNTING = """
CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql
SET enable_hashjoin = on SET enable_nestloop = off AS $count$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO {counts} SELECT lexical, entry, count(*) FROM ({entries_of_new}) AS e GROUP BY lexical, entry;
        INSERT INTO {counts} SELECT * FROM ({totals_of_new}) AS n WHERE n <> 0;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO {counts} SELECT lexical, entry, -count(*) FROM ({entries_of_old}) AS e GROUP BY lexical, entry;
        INSERT INTO {counts} SELECT lexical, entry, -n FROM ({totals_of_old}) AS n WHERE n <> 0;
    ELSE
        INSERT INTO {counts} SELECT lexical, entry, sum(n) FROM ({changes}) AS e
            GROUP BY lexical, entry HAVING sum(n) <> 0;
    END IF;
    RETURN NULL;
END $count$
"""


def _make_counts(session: Session, layout: Layout) -> None:
    """A table to which each write adds what it changes: nobody waits for another, `refresh` sums up."""
    session.run(
        sql.SQL(
            'CREATE TABLE {} (lexical smallint NOT NULL, entry text COLLATE "C" NOT NULL, n bigint NOT NULL)'
        ).format(layout.counts)
    )
    session.run(sql.SQL("CREATE INDEX ON {} (lexical, entry) INCLUDE (n)").format(layout.counts))
    new, old = sql.SQL("new_rows"), sql.SQL("old_rows")
    session.run(
        sql.SQL(_COUNTING).format(
            function=layout.counting,
            counts=layout.counts,
            entries_of_new=_entries(layout, new),
            entries_of_old=_entries(layout, old),
            totals_of_new=_totals(layout, new),
            totals_of_old=_totals(layout, old),
            changes=_changes(layout),
        )
    )
    for event, seen in (
        ("INSERT", "NEW TABLE AS new_rows"),
        ("UPDATE", "OLD TABLE AS old_rows NEW TABLE AS new_rows"),
        ("DELETE", "OLD TABLE AS old_rows"),
    ):
        session.run(
            sql.SQL(
                f"CREATE TRIGGER callsite_{event.lower()} AFTER {event} ON {{}} REFERENCING {seen} "
                "FOR EACH STATEMENT EXECUTE FUNCTION {}()"
            ).format(layout.table, layout.counting)
        )


def _entries(layout: Layout, rows: sql.Composable) -> sql.Composable:
    """(lexical, entry) of all rows; of none when there is no lexical field."""
    each: list[sql.Composable] = [
        sql.SQL("SELECT {}::smallint AS lexical, unnest({}) AS entry FROM {}").format(
            sql.Literal(LEXICAL_NUMBERS[to]), lexical_columns(to)[0].identifier, rows
        )
        for to in layout.lexical()
    ]
    return sql.SQL(" UNION ALL ").join(each or [sql.SQL("SELECT 0::smallint AS lexical, '' AS entry LIMIT 0")])


def _totals(layout: Layout, rows: sql.Composable) -> sql.Composable:
    """The number of documents, and of terms in each lexical field."""
    counted = sql.SQL("SELECT {}::smallint AS lexical, '' AS entry, count(*) AS n FROM {}")
    summed = sql.SQL("SELECT {}::smallint, '', coalesce(sum({}), 0) FROM {}")
    each = [counted.format(sql.Literal(DOCUMENTS), rows)]
    each += [
        summed.format(sql.Literal(LEXICAL_NUMBERS[to]), lexical_columns(to)[1].identifier, rows)
        for to in layout.lexical()
    ]
    return sql.SQL(" UNION ALL ").join(each)


def _changes(layout: Layout) -> sql.Composable:
    """(lexical, entry, n) by which an update changes the counts; rows whose terms stay as they are give nothing."""
    changed = sql.SQL(
        "SELECT {n}::smallint AS lexical, e.entry, e.n FROM new_rows JOIN old_rows USING ({key}), LATERAL ("
        "SELECT unnest(new_rows.{entries}) AS entry, 1 AS n UNION ALL SELECT unnest(old_rows.{entries}), -1 "
        "UNION ALL SELECT '', new_rows.{total} - old_rows.{total}) AS e "
        "WHERE new_rows.{entries} IS DISTINCT FROM old_rows.{entries}"
    )
    each: list[sql.Composable] = []
    for to in layout.lexical():
        entries, total, _ = lexical_columns(to)
        number = sql.Literal(LEXICAL_NUMBERS[to])
        each.append(changed.format(n=number, key=layout.key, entries=entries.identifier, total=total.identifier))
    nothing = sql.SQL("SELECT 0::smallint AS lexical, '' AS entry, 0 AS n LIMIT 0")
    return sql.SQL(" UNION ALL ").join(each or [nothing])
