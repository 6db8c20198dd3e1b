"""How is a queue kept in PostgreSQL? One table in a schema of its own; workers skip what others are taking."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import random

from callsite.errors import QueryError, StoreRefused
from callsite.queue.shards import checked_shards
from callsite.queue.statements import TRACKED_AGAIN, Words
from callsite.queue.table import Result, Row, Table, TableQueue
from callsite.queue.values import Policy
from callsite.stores.postgres.connections import Connections, Session

FORMAT = 1
_LOCK = 0x63_73_71  # of those who make or change the tables of a queue
#: Rows live for seconds, so they are swept by their number; new versions of a row go beside the old one.
_KEPT = "fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000"
_SCHEMA = f"""
CREATE TABLE $.entries (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, reference text COLLATE "C" NOT NULL UNIQUE,
    routing text COLLATE "C" NOT NULL, slot bigint NOT NULL, shard bigint NOT NULL, due double precision,
    tracked double precision NOT NULL, version bigint NOT NULL DEFAULT 0, tries integer NOT NULL DEFAULT 0,
    lost integer NOT NULL DEFAULT 0, token bigint, error text NOT NULL DEFAULT '', message text NOT NULL DEFAULT '',
    died double precision) WITH ({_KEPT});
CREATE INDEX entries_by_due ON $.entries (due, number);
CREATE INDEX entries_by_shard ON $.entries (shard, due, number);
CREATE INDEX entries_by_routing ON $.entries (routing);
CREATE INDEX entries_dead ON $.entries (number) WHERE due IS NULL;
CREATE SEQUENCE $.tokens;
CREATE TABLE $.state (format integer NOT NULL, n_shards bigint NOT NULL);
INSERT INTO $.state VALUES ({FORMAT}, 1)
"""
_TRACK = f"""
INSERT INTO $.entries AS e (reference, routing, slot, shard, due, tracked)
SELECT reference, routing, slot, slot % n_shards, due, due
FROM unnest(?::text[], ?::text[], ?::bigint[]) AS given (reference, routing, slot),
    (SELECT ?::bigint AS n_shards, ?::double precision AS due) AS common ORDER BY reference COLLATE "C"
{TRACKED_AGAIN}
"""


class PostgresQueue(TableQueue):
    """A queue in a schema of a database."""

    def __init__(
        self,
        options: str,
        *,
        schema: str = "callsite_queue",
        policy: Policy = Policy(),  # noqa: B008 - a frozen value
        shards: int | None = None,
        clock: Callable[[], float] | None = None,
        chance: Callable[[], float] = random,
        connections: int = 4,
        timeout: float = 60.0,
    ) -> None:
        """Connect, and make what is not there yet; without a clock that of the server counts.

        `options` is a URI or name=value pairs, as libpq takes them. Without `shards` their number stays as it is.
        """
        if not re.fullmatch(r"[a-z_][a-z0-9_]{0,62}", schema):
            raise QueryError(f"a queue's schema has a-z, 0-9 and _ in its name, at most 63: not {schema!r}")
        shared = Connections(options, most=connections, timeout=timeout)
        table = _Schema(shared, schema, clock=clock, shards=checked_shards(shards))
        super().__init__(table, policy=policy, chance=chance)


class _Schema(Table):
    """The schema, reached by connections that are shared."""

    def __init__(
        self, connections: Connections, schema: str, *, clock: Callable[[], float] | None, shards: int | None
    ) -> None:
        self._connections = connections
        self._schema = schema
        self._clock = clock
        self._words = Words(
            entries=f'"{schema}".entries',
            value="%s",
            among="= ANY(%s::bigint[])",
            lock="ORDER BY reference FOR UPDATE",
            skip="FOR UPDATE SKIP LOCKED",
        )
        connections.write("opening the queue", lambda session: self._prepare(session, shards))

    def now(self) -> float:
        if self._clock is not None:
            return self._clock()
        statement = "SELECT extract(epoch FROM clock_timestamp())::double precision"
        return float(self._connections.read("asking for the time", lambda session: session.run(statement))[0][0])

    def reading(self, doing: str, work: Callable[[_Transaction], Result]) -> Result:
        return self._connections.read(f"{doing} in the queue", lambda session: work(self._speaking(session)))

    def writing(self, doing: str, work: Callable[[_Transaction], Result]) -> Result:
        return self._connections.write(f"{doing} in the queue", lambda session: work(self._speaking(session)))

    def close(self) -> None:
        self._connections.close()

    def _speaking(self, session: Session) -> _Transaction:
        return _Transaction(session, self._schema, self._words)

    def _prepare(self, session: Session, shards: int | None) -> None:
        """Make what is not there yet; entries come to other shards when their number has changed."""
        named = f'"{self._schema}"'
        session.run("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (_LOCK, self._schema))
        if session.run("SELECT to_regclass(%s) IS NULL", (f"{named}.state",))[0][0]:
            if session.run("SELECT to_regnamespace(%s) IS NULL", (named,))[0][0]:  # it may be all that we may not make
                session.run(f"CREATE SCHEMA {named}")
            for statement in _SCHEMA.replace("$", named).split(";"):
                session.run(statement)
        version, n_shards = session.run(f"SELECT format, n_shards FROM {named}.state")[0]
        if version != FORMAT:
            raise StoreRefused(
                f"the queue in schema {self._schema} has format {version}, this callsite knows {FORMAT}; upgrade it"
            )
        if shards is not None and n_shards != shards:
            session.run(f"UPDATE {named}.state SET n_shards = %s", (shards,))
            session.run(f"UPDATE {named}.entries SET shard = slot %% %s::bigint", (shards,))


class _Transaction:
    """One transaction of the schema."""

    def __init__(self, session: Session, schema: str, words: Words) -> None:
        self._session = session
        self._schema = f'"{schema}"'
        self._words = words

    def rows(self, statement: str, *values: object) -> Sequence[Row]:
        return self._session.run(self._words.put_in(statement), values)

    def each(self, statement: str, rows: Sequence[Row]) -> None:
        if rows:
            self._session.connection.cursor().executemany(self._words.put_in(statement).encode(), rows)

    def track(self, rows: Sequence[Row], now: float) -> None:
        n_shards = self._session.run(f"SELECT n_shards FROM {self._schema}.state FOR SHARE")[0][0]
        texts, routings, slots = (list(column) for column in zip(*rows, strict=True))
        statement = _TRACK.replace("$", self._schema).replace("%", "%%").replace("?", "%s")
        self._session.run(statement, (texts, routings, slots, n_shards, now))

    def next_token(self) -> int:
        return int(self._session.run("SELECT nextval(%s::regclass)", (f"{self._schema}.tokens",))[0][0])
