"""How queues are opened: by real clocks, by several at once, by older and newer versions, where nothing answers."""

from __future__ import annotations

import sqlite3

import psycopg
import pytest
from queues import ids, reference
from test_queue_racing import together

from callsite.errors import QueryError, StoreRefused, StoreUnreachable
from callsite.queue.postgres import PostgresQueue
from callsite.queue.sqlite import SqliteQueue


def opened(place, **options):
    """As a caller opens it who gives no clock."""
    engine, where = place.child
    if engine == "sqlite":
        return SqliteQueue(where, **options)
    schema, uri = where.split(" ", 1)
    return PostgresQueue(uri, schema=schema, **options)


def change(place, sqlite: str, postgres: str) -> None:
    """Change the table by hand."""
    engine, where = place.child
    if engine == "sqlite":
        file = sqlite3.connect(where)
        file.execute(sqlite)
        file.commit()
        file.close()
    else:
        schema, uri = where.split(" ", 1)
        with psycopg.connect(uri) as connection:
            connection.execute(postgres.format(schema=schema))


def test_without_a_clock_a_real_one_counts(place):
    """That of the machine, or of the server; with one connection too."""
    queue = opened(place, **({"connections": 1} if place.child[0] == "postgres" else {}))
    queue.track([reference("a"), reference("b")])
    batch = queue.take(1, lease=3_600)
    assert ids(batch) == ["a"]
    found = queue.statistics()
    assert (found.due, found.leased) == (1, 1)
    assert 0 <= found.oldest < 3_600
    assert queue.extend(batch, lease=60) == 1
    assert queue.acknowledge(batch, batch.items) == ["done"]
    queue.close()


def test_many_may_open_a_new_queue_at_once(place):
    """One of them makes it; all can use it."""

    def use(name: int) -> None:
        queue = opened(place)
        queue.track([reference(name)])
        queue.close()

    together(*(lambda name=name: use(name) for name in range(6)))
    assert place.open().statistics().queued == 6


def test_a_newer_format_is_refused(place):
    """Its entries are left alone."""
    place.open()
    change(place, "PRAGMA user_version = 99", "UPDATE {schema}.state SET format = 99")
    with pytest.raises(StoreRefused, match="upgrade"):
        place.open()


def test_a_folder_that_cannot_be(tmp_path):
    """One clear line, that of a store."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreRefused):
        SqliteQueue(tmp_path / "file" / "queue.sqlite")


def test_a_file_that_somebody_writes(tmp_path):
    """After a while it says so; the same call may succeed later."""
    queue = SqliteQueue(tmp_path / "queue.sqlite", wait=0)
    other = sqlite3.connect(tmp_path / "queue.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnreachable):
        queue.track([reference("a")])
    other.execute("ROLLBACK")
    other.close()
    queue.track([reference("a")])
    queue.close()


def test_no_server_answers():
    """The error names neither user nor password."""
    with pytest.raises(StoreUnreachable) as raised:
        PostgresQueue("host=127.0.0.1 port=1 user=someone password=hidden", timeout=2)
    assert "someone" not in str(raised.value) and "hidden" not in str(raised.value)


@pytest.mark.parametrize("schema", ["", "A", 'a"; DROP', "a" * 64, "1a"])
def test_a_schema_has_a_plain_name(schema):
    """It goes into statements."""
    with pytest.raises(QueryError):
        PostgresQueue("host=127.0.0.1", schema=schema)
