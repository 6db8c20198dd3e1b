"""The truth about files, chunks and views: one SQLite database, its transactions, and what they promise.

Writers take SQLite's own write lock, so two processes never write at once and a killed one leaves nothing behind;
readers see the last committed state throughout (WAL). Foreign errors become IndexUnusable, IndexBusy or Damaged here.
"""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from callsite.errors import IndexBusy, IndexUnusable
from callsite.index.format import FORMAT
from callsite.index.outline import ChunkRow, Symbol, unpacked
from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_PAGE_CACHE = -16_000  # kB
_PAGE = 512  # bytes, SQLite's least: half a page is lost for each text, and most are small
_OPENING_SECONDS = 10.0  # others may be creating it, or recovering it after a crash
_REFERENCES = (
    ("overlays", "file", "files"),
    ("overlays", "view", "views"),
    ("files", "content", "contents"),
    ("names", "content", "contents"),
)
_ERRORS = (sqlite3.Error, UnicodeDecodeError)  # the latter when a damaged name stands in SQLite's message
_DICTIONARY = "dictionary"  # its key in `meta`
_VALUES_PER_QUERY = 500  # SQLite's oldest limit on bound values is 999


class Damaged(IndexUnusable):
    """The catalogue is no database any more, or one of another format: it has to be made anew."""


class Replaced(IndexUnusable):
    """Another process made the catalogue anew, or removed it: it has to be opened again."""


class Catalogue:
    """One repository's catalogue, open. Threads may share it under their own lock."""

    def __init__(self, path: str, *, maker: str) -> None:
        """Open or create it; `maker` names the version of the chunker whose output it holds."""
        self.path = path
        folder = os.path.dirname(path)
        self._identity: tuple[int, int] | None = None
        self._dictionary = b""
        try:
            os.makedirs(folder, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        except (OSError, sqlite3.Error) as error:
            if isinstance(error, sqlite3.Error) and not os.path.isdir(folder):
                raise Replaced(f"the index {path} was removed by another process") from error
            raise IndexUnusable(
                f"no index can be kept in {folder}: {error}; set CALLSITE_HOME to another folder"
            ) from error
        try:
            self._prepare(maker)
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self, maker: str) -> None:
        self.run(f"PRAGMA page_size = {_PAGE}")  # counts for a new database only
        self._enter_wal_mode()
        self._identity = identity(self.path)
        self.run("PRAGMA synchronous = NORMAL")
        self.run(f"PRAGMA cache_size = {_PAGE_CACHE}")
        self.run("PRAGMA busy_timeout = 10000")
        (version,) = self.row("PRAGMA user_version")
        if version == 0:
            self._create(maker)
        elif version > FORMAT:
            raise IndexUnusable(
                f"the index {self.path} was written by a newer callsite (format {version}, known {FORMAT});"
                " upgrade, or `callsite clear`"
            )
        elif version != FORMAT or self.meta("maker") != maker:
            raise Damaged(f"the index {self.path} was written by an older version")

    def _enter_wal_mode(self) -> None:
        """SQLite's own patience does not cover the change of mode, which two processes may be at."""
        deadline = time.monotonic() + _OPENING_SECONDS
        while True:
            try:
                self.run("PRAGMA journal_mode = WAL")
                return
            except IndexBusy:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def _create(self, maker: str) -> None:
        """Another process may create it at the same moment: then its tables are there once the lock is ours."""
        from pathlib import Path  # 3 ms that a search need not pay

        with self._transaction("BEGIN IMMEDIATE"):
            if self.row("PRAGMA user_version")[0] == 0:
                for statement in (Path(__file__).parent / "schema.sql").read_text("utf-8").split(";\n"):
                    self.run(statement)
                self.set_meta("maker", maker)
                self.run(f"PRAGMA user_version = {FORMAT}")

    def close(self) -> None:
        """Give the file back; of no use afterwards."""
        self._connection.close()

    def is_current(self) -> bool:
        """Whether the file at the path is still the one that was opened."""
        return identity(self.path) == self._identity

    @contextmanager
    def writing(self, *, wait: float) -> Iterator[None]:
        """Hold the write lock; commit at the end, undo on any exception.

        IndexBusy after `wait` seconds, Replaced when the file is no longer the one at the path.
        """
        self.run(f"PRAGMA busy_timeout = {max(0, int(wait * 1000))}")
        with self._transaction("BEGIN IMMEDIATE"):
            self._require_current()
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See one committed state throughout, that of this moment; inside `writing`, that of the writer."""
        if self._connection.in_transaction:
            yield
            return
        self.run("PRAGMA busy_timeout = 10000")  # only recovery after a crash blocks readers
        self.run("BEGIN")
        try:
            self._require_current()
            self.meta("base")  # SQLite chooses the state at the first query
            yield
        finally:
            self._undo()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        self.run(begin)
        try:
            yield
            self.run("COMMIT")
        except BaseException:
            self._undo()
            raise

    def _undo(self) -> None:
        """Also after a COMMIT that failed: SQLite has undone some of those itself."""
        if self._connection.in_transaction:
            with suppress(sqlite3.Error):  # the error that led here says more
                self._connection.execute("ROLLBACK")

    def _translated(self, error: Exception) -> Exception:
        """SQLite complains in many ways when somebody removes its files."""
        found = identity(self.path)
        if isinstance(error, sqlite3.OperationalError) and (found is None or found != (self._identity or found)):
            return Replaced(f"the index {self.path} was removed by another process")
        return _translated(error, self.path)

    def _require_current(self) -> None:
        if not self.is_current():
            raise Replaced(f"the index {self.path} was removed by another process")

    def state(self) -> tuple[int, int]:
        """Differs from what it was whenever anybody has changed anything; to be asked inside `reading`."""
        (version,) = self.row("PRAGMA data_version")  # of others' changes; its own are not in it
        return version, self._connection.total_changes

    def rows(self, query: str, *values: Any) -> list[Any]:
        try:
            return self._connection.execute(query, values).fetchall()
        except _ERRORS as error:
            raise self._translated(error) from error

    def row(self, query: str, *values: Any) -> Any:
        try:
            return self._connection.execute(query, values).fetchone()
        except _ERRORS as error:
            raise self._translated(error) from error

    def run(self, statement: str, *values: Any) -> int:
        """Run a statement; the id of the row that it inserted."""
        try:
            return self._connection.execute(statement, values).lastrowid or 0
        except _ERRORS as error:
            raise self._translated(error) from error

    def run_many(self, statement: str, rows: Iterable[Any]) -> None:
        try:
            self._connection.executemany(statement, rows)
        except _ERRORS as error:
            raise self._translated(error) from error

    def meta(self, key: str, default: str = "") -> str:
        found = self.row("SELECT value FROM meta WHERE key = ?", key)
        return str(found[0]) if found else default

    def set_meta(self, key: str, value: str) -> None:
        self.run("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value)

    def dictionary(self) -> bytes:
        """What texts and outlines are deflated with: b"" without one, the same for ever once contents are there."""
        if not self._dictionary and (kept := self.row("SELECT value FROM meta WHERE key = ?", _DICTIONARY)):
            try:
                self._dictionary = zlib.decompress(kept[0])
            except (zlib.error, TypeError) as error:
                raise Damaged(f"the index {self.path} is damaged: {error}") from error
        return self._dictionary

    def keep_dictionary(self, dictionary: bytes, *, wait: float) -> None:
        """Set it, if nothing was ever deflated without it or with another."""
        with self.writing(wait=wait):
            if dictionary and not self.last_id("contents"):
                kept = zlib.compress(dictionary, 9)
                self.run("INSERT INTO meta VALUES (?, ?) ON CONFLICT DO NOTHING", _DICTIONARY, kept)

    def inflate(self, stored: bytes) -> str:
        """A stored text."""
        return inflate(stored, self.dictionary())

    def outline(self, stored: bytes) -> tuple[list[ChunkRow], list[Symbol]]:
        """The chunks of a content and what they define."""
        return outline_of(stored, self.dictionary())

    def damage(self) -> str:
        """What is wrong with the database, or with what its tables say of each other; "" for nothing. Reads all."""
        (found,) = self.row("PRAGMA integrity_check(1)")
        if found != "ok":
            return str(found)
        for table, column, other in _REFERENCES:
            (n,) = self.row(
                f"SELECT count(*) FROM {table} WHERE {column} != 0 AND {column} NOT IN (SELECT id FROM {other})"
            )
            if n:
                return f"{n} rows of {table} lead nowhere"
        return ""

    def last_id(self, table: str) -> int:
        """The largest id that was ever given out in a table that never gives one twice."""
        found = self.row("SELECT seq FROM sqlite_sequence WHERE name = ?", table)
        return int(found[0]) if found else 0

    def contents(self, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
        """Those of the (digest, hint) pairs that were seen before, with their id."""
        keys = {(bytes.fromhex(digest), hint): (digest, hint) for digest, hint in wanted}
        starts = sorted({digest[:4] for digest, _ in keys}) if self.last_id("contents") else []
        found: dict[tuple[str, str], int] = {}
        for at in range(0, len(starts), _VALUES_PER_QUERY):
            some = starts[at : at + _VALUES_PER_QUERY]
            query = f"SELECT digest, hint, id FROM contents WHERE substr(digest, 1, 4) IN ({','.join('?' * len(some))})"
            rows = self.rows(query, *some)
            found |= {keys[digest, hint]: id for digest, hint, id in rows if (digest, hint) in keys}
        return found

    def rows_in(self, query: str, values: list[int]) -> list[Any]:
        """The rows of a query whose `{}` stands for a list of integers, which may be long."""
        found: list[Any] = []
        for at in range(0, len(values), 10_000):
            found += self.rows(query.format(",".join(map(str, values[at : at + 10_000]))))
        return found


def identity(path: str) -> tuple[int, int] | None:
    """Which file lies at a path, None for none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _translated(error: Exception, path: str) -> Exception:
    """SQLite's error as ours; one that only a mistake of ours can cause stays what it is."""
    text = str(error)
    if isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError):
        return error
    if not isinstance(error, sqlite3.OperationalError):
        return Damaged(f"the index {path} is damaged: {text}")
    if "locked" in text or "busy" in text:
        return IndexBusy(f"another process is writing the index {path}; try again, or ask with --no-index")
    if any(sign in text for sign in ("no such table", "no such column", "malformed", "has no column", "decode")):
        return Damaged(f"the index {path} is damaged: {text}")
    return IndexUnusable(
        f"the index {path} can't be used: {text}; free some room or set CALLSITE_HOME to another folder"
    )


def inflate(stored: bytes, dictionary: bytes = b"") -> str:
    """A stored text; Damaged when the bytes were changed."""
    try:
        unpacker = zlib.decompressobj(zdict=dictionary) if dictionary else zlib.decompressobj()
        text = unpacker.decompress(stored)
        if not unpacker.eof:
            raise Damaged("a stored text is damaged: it has no end")
        return text.decode("utf-8", "surrogatepass")
    except (zlib.error, UnicodeDecodeError, TypeError) as error:
        raise Damaged(f"a stored text is damaged: {error}") from error


def outline_of(stored: bytes, dictionary: bytes = b"") -> tuple[list[ChunkRow], list[Symbol]]:
    """The chunks of a content and what they define; Damaged when the bytes were changed."""
    try:
        return unpacked(inflate(stored, dictionary))
    except (ValueError, TypeError) as error:
        raise Damaged(f"a stored outline is damaged: {error}") from error
