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
_N_TRIES = 4  # deadlocks of some writers of the same documents resolve one by one
_DEFAULTS = {"application_name": "callsite", "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}

READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
WRITING = "BEGIN ISOLATION LEVEL READ COMMITTED"

#: What every connection needs, whatever the server is set to. Plans of queries that run for milliseconds are not worth
#: compiling; names are looked for where pgvector is.
_SESSION = """
SELECT set_config('TimeZone', 'UTC', false), set_config('jit', 'off', false),
    set_config('statement_timeout', %(timeout)s, false), set_config('client_encoding', 'UTF8', false),
    set_config('idle_in_transaction_session_timeout', %(timeout)s, false),
    set_config('search_path', coalesce((SELECT quote_ident(nspname) FROM pg_extension
        JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector'), 'public'), false)
"""


class Session:
    """One connection within one transaction."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection

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
        self._idle: list[psycopg.Connection[Any]] = []

    def read(self, doing: str, work: Callable[[Session], Result]) -> Result:
        """What the work gives; all its statements see one state."""
        return self._repeated(doing, READING, work)

    def write(self, doing: str, work: Callable[[Session], Result]) -> Result:
        """What the work gives, once it is committed; psycopg's errors about rows are let through."""
        return self._repeated(doing, WRITING, work)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

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
        connection = None
        try:
            connection = self._taken()
            connection.execute(begin)
            result = work(Session(connection))
            connection.execute("COMMIT")
            return result
        except BaseException:
            _roll_back(connection)
            raise
        finally:
            self._give_back(connection)
            self._free.release()

    def _taken(self) -> psycopg.Connection[Any]:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._opened()

    def _opened(self) -> psycopg.Connection[Any]:
        try:
            given = psycopg.conninfo.conninfo_to_dict(self._options)
            options: dict[str, Any] = _DEFAULTS | {"connect_timeout": max(2, int(self._timeout))} | given
            connection = psycopg.connect(**options, autocommit=True, prepare_threshold=None)
        except psycopg.Error as error:
            raise not_connected(error) from None
        connection.execute(_SESSION, {"timeout": str(int(self._timeout * 1000))})
        return connection

    def _give_back(self, connection: psycopg.Connection[Any] | None) -> None:
        if connection is None or connection.closed:
            return
        if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            connection.close()
            return
        with self._lock:
            self._idle.append(connection)


def _roll_back(connection: psycopg.Connection[Any] | None) -> None:
    if connection is not None and not connection.closed:
        try:
            connection.execute("ROLLBACK")
        except psycopg.Error:  # the first error is told
            connection.close()
