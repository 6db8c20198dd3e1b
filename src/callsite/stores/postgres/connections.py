"""How are connections opened, shared and given back? Knows transactions and time limits, no tables of ours.

Whatever is done runs in one transaction, which is repeated once when its connection was lost: reads change nothing,
and writes lead to the same state when they are done twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock, Semaphore
from typing import Any, TypeVar

import psycopg
from psycopg import sql

from callsite.errors import StoreUnreachable
from callsite.stores.postgres.failing import is_lost, is_to_repeat, mapped, not_connected

Result = TypeVar("Result")
Statement = sql.Composable | str
_MOST_TEMPORARY = 16
_N_TRIES = 4  # deadlocks of some writers of the same documents resolve one by one
_DEFAULTS = {
    "application_name": "callsite",
    "client_encoding": "UTF8",
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}

READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
WRITING = "BEGIN ISOLATION LEVEL READ COMMITTED"

#: What every connection needs, whatever the server is set to. Plans of queries that run for milliseconds are not worth
#: compiling; names are looked for where pgvector is.
_SESSION = """
SELECT set_config('TimeZone', 'UTC', false), set_config('jit', 'off', false),
    set_config('statement_timeout', %(timeout)s, false),
    set_config('idle_in_transaction_session_timeout', %(timeout)s, false),
    set_config('search_path', coalesce((SELECT quote_ident(nspname) FROM pg_extension
        JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector'), 'public'), false)
"""


class Session:
    """One connection; whoever is given it is within a transaction."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        self._temporary: set[str] = set()

    def make_temporary(self, name: str, columns: sql.Composable) -> None:
        """An empty table for this transaction; kept for the next, and emptied, since to make one takes a while.

        Each commit empties all that there are, so there are never many.
        """
        if name not in self._temporary and len(self._temporary) >= _MOST_TEMPORARY:
            self.run("DISCARD TEMPORARY")
            self._temporary.clear()
        self._temporary.add(name)
        self.run("SET LOCAL client_min_messages = warning")
        statement = sql.SQL("CREATE TEMPORARY TABLE IF NOT EXISTS {} ({}) ON COMMIT DELETE ROWS")
        self.run(statement.format(sql.Identifier(name), columns))

    def run(self, statement: Statement, parameters: Sequence[object] | None = None) -> list[tuple[Any, ...]]:
        """The rows that a statement gives; none for those that give none."""
        cursor = self.connection.execute(statement, parameters, binary=True)  # type: ignore[arg-type]
        return cursor.fetchall() if cursor.description else []

    def affected(self, statement: Statement, parameters: Sequence[object] | None = None) -> int:
        """How many rows a statement changes."""
        return self.connection.execute(statement, parameters).rowcount  # type: ignore[arg-type]

    def copy(self, statement: Statement, blocks: Sequence[bytes]) -> None:
        """Rows for `COPY … FROM STDIN`."""
        with self.connection.cursor().copy(statement) as copy:  # type: ignore[arg-type]
            for block in blocks:
                copy.write(block)


class Connections:
    """At most so many connections; whoever comes when all are taken waits."""

    def __init__(self, options: str, *, most: int, timeout: float) -> None:
        self._options = options
        self._timeout = timeout
        self._free = Semaphore(most)
        self._lock = Lock()
        self._idle: list[Session] = []

    def read(self, doing: str, work: Callable[[Session], Result]) -> Result:
        """What the work gives; all its statements see one state."""
        return self._repeated(doing, READING, work)

    def write(self, doing: str, work: Callable[[Session], Result]) -> Result:
        """What the work gives, once it is committed; psycopg's errors about rows are let through."""
        return self._repeated(doing, WRITING, work)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for session in idle:
            session.connection.close()

    def _repeated(self, doing: str, begin: str, work: Callable[[Session], Result]) -> Result:
        n_left = _N_TRIES
        while True:
            n_left -= 1
            try:
                return self._once(begin, work)
            except psycopg.Error as error:
                if is_lost(error):
                    self.close()
                    n_left = min(n_left, 1)
                if not is_to_repeat(error) or n_left <= 0:
                    raise mapped(error, doing) from error

    def _once(self, begin: str, work: Callable[[Session], Result]) -> Result:
        if not self._free.acquire(timeout=self._timeout):
            raise StoreUnreachable("PostgreSQL: all connections of this store are taken; allow it more, or wait")
        session = None
        try:
            session = self._taken()
            session.run(begin)
            result = work(session)
            session.run("COMMIT")
            return result
        except BaseException:
            _roll_back(session)
            raise
        finally:
            self._give_back(session)
            self._free.release()

    def _taken(self) -> Session:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._opened()

    def _opened(self) -> Session:
        try:
            given = psycopg.conninfo.conninfo_to_dict(self._options)
            options: dict[str, Any] = _DEFAULTS | {"connect_timeout": max(2, int(self._timeout))} | given
            connection = psycopg.connect(**options, autocommit=True, prepare_threshold=None)
        except psycopg.Error as error:
            raise not_connected(error) from None
        connection.execute(_SESSION, {"timeout": str(int(self._timeout * 1000))})
        return Session(connection)

    def _give_back(self, session: Session | None) -> None:
        if session is None or session.connection.closed:
            return
        if session.connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            session.connection.close()
            return
        with self._lock:
            self._idle.append(session)


def _roll_back(session: Session | None) -> None:
    if session is not None and not session.connection.closed:
        try:
            session.run("ROLLBACK")
        except psycopg.Error:  # the first error is told
            session.connection.close()
