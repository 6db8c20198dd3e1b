"""The truth about files, chunks and views: one SQLite database, its transactions, and what they promise.

Writers take SQLite's own write lock, so two processes never write at once and a killed one leaves nothing behind;
readers see the last committed state throughout (WAL). Foreign errors become IndexUnusable, IndexBusy or Damaged here.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from callsite.errors import IndexBusy, IndexUnusable
from callsite.index.format import FORMAT

_PAGE_CACHE = -16_000  # kB


class Damaged(IndexUnusable):
    """The catalogue is no database any more, or one of another format: it has to be made anew."""


class Catalogue:
    """One repository's catalogue, open. Threads may share it under their own lock."""

    def __init__(self, path: Path, *, maker: str) -> None:
        """Open or create it; `maker` names the version of the chunker whose output it holds."""
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        except (OSError, sqlite3.Error) as error:
            raise IndexUnusable(f"no index can be kept in {path.parent}: {error}; set CALLSITE_HOME to another folder") from error
        try:
            with mapped(path):
                self._prepare(maker)
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self, maker: str) -> None:
        run = self._connection.execute
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = NORMAL")
        run(f"PRAGMA cache_size = {_PAGE_CACHE}")
        (version,) = run("PRAGMA user_version").fetchone()
        if version == 0:
            self._create(maker)
        elif version > FORMAT:
            raise IndexUnusable(
                f"the index {self.path} was written by a newer callsite (format {version}, known {FORMAT}); upgrade, or `callsite clear`"
            )
        elif version != FORMAT or self.meta("maker") != maker:
            raise Damaged(f"the index {self.path} was written by an older version")

    def _create(self, maker: str) -> None:
        """Another process may create it at the same moment: then its tables are there once the lock is ours."""
        with self.writing(wait=10.0):
            if self._connection.execute("PRAGMA user_version").fetchone()[0] == 0:
                for statement in (Path(__file__).parent / "schema.sql").read_text("utf-8").split(";\n"):
                    self._connection.execute(statement)
                self.set_meta("maker", maker)
                self._connection.execute(f"PRAGMA user_version = {FORMAT}")

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def writing(self, *, wait: float) -> Iterator[None]:
        """Hold the write lock; commit at the end, undo on any exception. IndexBusy after `wait` seconds."""
        with mapped(self.path):
            self._connection.execute(f"PRAGMA busy_timeout = {int(wait * 1000)}")
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See one committed state throughout; inside `writing`, that of the writer."""
        with mapped(self.path):
            if self._connection.in_transaction:
                yield
                return
            self._connection.execute("PRAGMA busy_timeout = 10000")  # only recovery after a crash blocks readers
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                self._connection.execute("ROLLBACK")

    def rows(self, query: str, *values: Any) -> list[Any]:
        return self._connection.execute(query, values).fetchall()

    def row(self, query: str, *values: Any) -> Any:
        return self._connection.execute(query, values).fetchone()

    def run(self, statement: str, *values: Any) -> int:
        """Run a statement; the id of the row that it inserted."""
        return self._connection.execute(statement, values).lastrowid or 0

    def run_many(self, statement: str, rows: Any) -> None:
        self._connection.executemany(statement, rows)

    def meta(self, key: str, default: str = "") -> str:
        found = self.row("SELECT value FROM meta WHERE key = ?", key)
        return str(found[0]) if found else default

    def set_meta(self, key: str, value: str) -> None:
        self.run("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value)

    def last_file(self) -> int:
        """The largest file id that was ever given out."""
        found = self.row("SELECT seq FROM sqlite_sequence WHERE name = 'files'")
        return int(found[0]) if found else 0

    def rows_in(self, query: str, values: list[int]) -> list[Any]:
        """The rows of a query whose `{}` stands for a list of integers, which may be long."""
        found: list[Any] = []
        for at in range(0, len(values), 10_000):
            found += self.rows(query.format(",".join(map(str, values[at : at + 10_000]))))
        return found


@contextmanager
def mapped(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into ours."""
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        if "locked" in text or "busy" in text:
            raise IndexBusy(f"another process is writing the index {path}; try again, or answer from what is there with --no-index") from error
        if "no such table" in text or "no such column" in text or "malformed" in text:
            raise Damaged(f"the index {path} is damaged: {text}") from error
        raise IndexUnusable(f"the index {path} can't be used: {text}; free some room or set CALLSITE_HOME to another folder") from error
    except sqlite3.DatabaseError as error:
        raise Damaged(f"the index {path} is damaged: {error}") from error


def inflate(stored: bytes) -> str:
    """The text of a content; Damaged when the bytes were changed."""
    try:
        return zlib.decompress(stored).decode("utf-8", "surrogatepass")
    except (zlib.error, UnicodeDecodeError) as error:
        raise Damaged(f"a stored text is damaged: {error}") from error
