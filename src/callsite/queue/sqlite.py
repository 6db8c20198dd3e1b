"""How is a queue kept in a file? One table of SQLite, for several threads and processes of one machine."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from random import random
from threading import RLock
from typing import Any

from callsite.errors import StoreRefused
from callsite.queue.shards import checked_shards
from callsite.queue.statements import TRACKED_AGAIN, Words
from callsite.queue.table import Result, Row, Table, TableQueue
from callsite.queue.values import Policy
from callsite.stores.sqlite_errors import mapped

FORMAT = 1
_WORDS = Words(
    entries="entries", value="?", among="IN (SELECT value FROM json_each(?))", lock="", skip=""
)  # whoever writes is alone
_SCHEMA = """
CREATE TABLE entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT, reference TEXT NOT NULL UNIQUE, routing TEXT NOT NULL,
    slot INTEGER NOT NULL, shard INTEGER NOT NULL, due REAL, tracked REAL NOT NULL, version INTEGER NOT NULL DEFAULT 0,
    tries INTEGER NOT NULL DEFAULT 0, lost INTEGER NOT NULL DEFAULT 0, token INTEGER,
    error TEXT NOT NULL DEFAULT '', message TEXT NOT NULL DEFAULT '', died REAL);
CREATE INDEX entries_by_due ON entries (due, number);
CREATE INDEX entries_by_shard ON entries (shard, due, number);
CREATE INDEX entries_by_routing ON entries (routing);
CREATE INDEX entries_dead ON entries (number) WHERE due IS NULL;
CREATE TABLE state (n_shards INTEGER NOT NULL, last_token INTEGER NOT NULL);
INSERT INTO state VALUES (1, 0)
"""
_TRACK = (
    f"INSERT INTO entries AS e (reference, routing, slot, shard, due, tracked) VALUES (?, ?, ?, ?, ?, ?){TRACKED_AGAIN}"
)


class SqliteQueue(TableQueue):
    """A queue in a file."""

    def __init__(
        self,
        path: str | Path,
        *,
        policy: Policy = Policy(),  # noqa: B008 - a frozen value
        shards: int | None = None,
        clock: Callable[[], float] = time.time,
        chance: Callable[[], float] = random,
        wait: float = 30.0,
    ) -> None:
        """Open or create it; `wait` seconds for others that write. Without `shards` their number stays as it is."""
        super().__init__(
            _File(Path(path), clock=clock, wait=wait, shards=checked_shards(shards)), policy=policy, chance=chance
        )


class _File(Table):
    """The file, open. Threads come one after another."""

    def __init__(self, path: Path, *, clock: Callable[[], float], wait: float, shards: int | None) -> None:
        self._path = path
        self._clock = clock
        self._lock = RLock()
        with self._foreign():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=wait, isolation_level=None, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")  # what was tracked survives a power cut
            self._connection.execute("PRAGMA cache_size = -64000")
        self.writing("opening", lambda speaking: self._prepare(shards))

    def now(self) -> float:
        return self._clock()

    def reading(self, doing: str, work: Callable[[_Transaction], Result]) -> Result:
        return self._within("BEGIN", work)

    def writing(self, doing: str, work: Callable[[_Transaction], Result]) -> Result:
        return self._within("BEGIN IMMEDIATE", work)

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _within(self, begin: str, work: Callable[[_Transaction], Result]) -> Result:
        with self._lock, self._foreign():
            self._connection.execute(begin)
            try:
                result = work(_Transaction(self._connection))
                self._connection.execute("COMMIT")
                return result
            except BaseException:
                with suppress(sqlite3.Error):  # the error that led here says more
                    self._connection.execute("ROLLBACK")
                raise

    def _prepare(self, shards: int | None) -> None:
        """Make what is not there yet; entries come to other shards when their number has changed."""
        run = self._connection.execute
        version = run("PRAGMA user_version").fetchone()[0]
        if version not in (0, FORMAT):
            raise StoreRefused(f"the queue {self._path} has format {version}, this callsite knows {FORMAT}; upgrade it")
        if version == 0:
            for statement in _SCHEMA.split(";"):
                run(statement)
            run(f"PRAGMA user_version = {FORMAT}")
        if shards is not None and run("SELECT n_shards FROM state").fetchone()[0] != shards:
            run("UPDATE state SET n_shards = ?", (shards,))
            run("UPDATE entries SET shard = slot % ?", (shards,))

    def _foreign(self) -> AbstractContextManager[None]:
        return mapped("queue", self._path, remedy="remove it and track everything again")


class _Transaction:
    """One transaction of the file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, statement: str, *values: object) -> Sequence[Row]:
        given = [json.dumps(value) if isinstance(value, list) else value for value in values]
        return self._connection.execute(_WORDS.put_in(statement), given).fetchall()

    def each(self, statement: str, rows: Sequence[Row]) -> None:
        self._connection.executemany(_WORDS.put_in(statement), rows)

    def track(self, rows: Sequence[Row], now: float) -> None:
        n_shards = self._connection.execute("SELECT n_shards FROM state").fetchone()[0]
        self._connection.executemany(
            _TRACK, ((text, routing, slot, slot % n_shards, now, now) for text, routing, slot in rows)
        )

    def next_token(self) -> int:
        found: Any = self._connection.execute("UPDATE state SET last_token = last_token + 1 RETURNING last_token")
        return int(found.fetchall()[0][0])
