"""How is SQLite spoken to? One connection with its transactions; its errors become StoreError and its children here."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from callsite.errors import StoreRefused
from callsite.stores.sqlite_errors import mapped
from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

FORMAT = 1
_PAGE_CACHE = -64_000  # kB
_SCHEMA = """
CREATE TABLE collections (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL,
                          words INTEGER NOT NULL DEFAULT -1);
CREATE TABLE stamps (last INTEGER NOT NULL);
INSERT INTO stamps VALUES (0);
"""


class Database:
    """The file of a store, open. One thread at a time."""

    def __init__(self, path: Path, *, wait: float) -> None:
        """Open or create it; `wait` seconds for others that write."""
        self._path = path
        with self._foreign():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=wait, isolation_level=None, check_same_thread=False)
        self.run("PRAGMA journal_mode = WAL")
        self.run("PRAGMA synchronous = NORMAL")
        self.run(f"PRAGMA cache_size = {_PAGE_CACHE}")
        with self.writing():
            version = self.value("PRAGMA user_version")
            if version == 0:
                for statement in _SCHEMA.split(";"):
                    self.run(statement)
                self.run(f"PRAGMA user_version = {FORMAT}")
            elif version != FORMAT:
                raise StoreRefused(f"the store {path} has format {version}, this callsite knows {FORMAT}; upgrade it")

    def close(self) -> None:
        """Give the file back; closing twice is fine."""
        self._connection.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock of writers; commit at the end, undo on any exception. Inside another one, a part of that."""
        if self._is_inside():
            yield
            return
        self.run("BEGIN IMMEDIATE")
        try:
            yield
            self.run("COMMIT")
        except BaseException:
            self._undo()
            raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See one committed state throughout."""
        if self._is_inside():
            yield
            return
        self.run("BEGIN")
        try:
            yield
        finally:
            self._undo()

    def _is_inside(self) -> bool:
        with self._foreign():
            return self._connection.in_transaction

    def _undo(self) -> None:
        if self._is_inside():
            with suppress(sqlite3.Error):  # the error that led here says more
                self._connection.execute("ROLLBACK")

    def rows(self, query: str, *values: object) -> list[Any]:
        with self._foreign():
            return self._connection.execute(query, values).fetchall()

    def value(self, query: str, *values: object) -> Any:
        """The first column of the first row; None without one."""
        found = self.rows(query, *values)
        return found[0][0] if found else None

    def run(self, statement: str, *values: object) -> int:
        """Run a statement; the number of the row that it inserted."""
        with self._foreign():
            return self._connection.execute(statement, values).lastrowid or 0

    def run_many(self, statement: str, rows: Iterable[Any]) -> None:
        with self._foreign():
            self._connection.executemany(statement, rows)

    def next_stamp(self) -> int:
        """A number larger than all that were given out before."""
        self.run("UPDATE stamps SET last = last + 1")
        return int(self.value("SELECT last FROM stamps"))

    def _foreign(self) -> AbstractContextManager[None]:
        return mapped("store", self._path, remedy="remove it and index again")
