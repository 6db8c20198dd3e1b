"""What makes a collection quick again after many writes, and what is known of it? Counts, statistics, indexes."""

from __future__ import annotations

from psycopg import sql

from callsite.stores.postgres import lexicon, tables
from callsite.stores.postgres.connections import Session
from callsite.stores.postgres.layout import Layout, column_of
from callsite.stores.values import Stats

_MOST_ADDITIONS = 64  # to a count, until they are summed up
_CHANGED, _FEW = 0.2, 1_000  # a share, or so few, of the documents for which the planner's statistics still do

_PARTITIONS = "SELECT inhrelid FROM pg_inherits WHERE inhparent = to_regclass(%s)"


def keep_up(session: Session, layout: Layout, *, exact_up_to: int) -> None:
    """Only what is worth it: nothing to do after few writes."""
    tables_name = layout.table.as_string(None)
    if not session.run("SELECT pg_try_advisory_xact_lock(to_regclass(%s)::oid::bigint)", (tables_name,))[0][0]:
        return  # somebody else does it
    session.run(
        "SELECT gin_clean_pending_list(indexrelid) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid "
        f"JOIN pg_am ON pg_am.oid = relam WHERE amname = 'gin' AND indrelid IN ({_PARTITIONS})",
        (tables_name,),
    )
    lexicon.sum_up(session, layout, most=_MOST_ADDITIONS)
    n = lexicon.n_documents(session, layout)
    known = session.run(f"SELECT sum(reltuples) FROM pg_class WHERE oid IN ({_PARTITIONS})", (tables_name,))[0][0]
    if abs(n - max(known or 0, 0)) > max(_FEW, _CHANGED * n):
        session.run(sql.SQL("ANALYZE {}, {}").format(layout.table, layout.counts))
    if n > exact_up_to:
        session.run("SET LOCAL statement_timeout = 0")
        for field in layout.collection.vector_fields():
            tables.index_vectors(session, layout, field)


def stats(session: Session, layout: Layout) -> Stats:
    fields = layout.collection.vector_fields()
    filled = [0] * len(fields)
    if fields:
        counted = sql.SQL(", ").join(sql.SQL("count({})").format(column_of(one).identifier) for one in fields)
        filled = list(session.run(sql.SQL("SELECT {} FROM {}").format(counted, layout.table))[0])
    names = [one.name for one in fields]
    return Stats(n_documents=lexicon.n_documents(session, layout), n_filled=dict(zip(names, filled, strict=True)))


def health(session: Session) -> tuple[str, tuple[str, ...]]:
    """The server's version, and what keeps this store from working there."""
    version, encoding = session.run("SELECT current_setting('server_version'), current_setting('server_encoding')")[0]
    notes = [] if encoding == "UTF8" else [f"the database keeps texts as {encoding}, not as UTF8"]
    rows = session.run("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    if not rows:
        there = session.run("SELECT default_version FROM pg_available_extensions WHERE name = 'vector'")
        if not there:
            notes.append("pgvector is not installed on the server")
        return str(version), tuple(notes)
    if tuple(int(one) for one in rows[0][0].split(".")[:2]) < (0, 8):
        notes.append(f"pgvector is of version {rows[0][0]}; 0.8 or newer is needed")
    return f"{version}, pgvector {rows[0][0]}", tuple(notes)
