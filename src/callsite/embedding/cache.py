"""Which vectors were paid for before? One SQLite file for all repositories, branches and stores of this machine.

A vector is known by its model, its dims and the digest of the text that was embedded; what was not used for longest
goes when there are too many. Several processes may use the file: each claims the texts that it is about to pay for, so
that none pays for the same. Claims of a process that has died are void.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from sys import byteorder
from threading import RLock
from time import time
from typing import Any

from callsite.embedding.owners import Owners
from callsite.errors import EmbeddingError
from callsite.values import dataclass

MOST_BYTES = 4_000_000_000
_FORMAT = 1
_OVERHEAD = 150  # bytes of a row beside its numbers: digest, two indexes
_KEPT = 0.9  # of the most, after the oldest went
_PER_EVICTION = 1_000
_PER_STATEMENT = 500
_FRESH = 3_600.0  # seconds in which a use need not be noted again
_LONGEST_CLAIM = 3_600.0  # of a process that lives and does not get on

_SCHEMA = """
CREATE TABLE models (number INTEGER PRIMARY KEY, name TEXT NOT NULL, dims INTEGER NOT NULL, UNIQUE (name, dims));
CREATE TABLE vectors (number INTEGER PRIMARY KEY, model INTEGER NOT NULL, digest BLOB NOT NULL, used REAL NOT NULL,
    vector BLOB NOT NULL);
CREATE UNIQUE INDEX vectors_key ON vectors (model, digest);
CREATE INDEX vectors_used ON vectors (used);
CREATE TABLE claims (model INTEGER NOT NULL, digest BLOB NOT NULL, owner TEXT NOT NULL, claim TEXT NOT NULL,
    made REAL NOT NULL, PRIMARY KEY (model, digest)) WITHOUT ROWID;
CREATE TABLE size (n_bytes INTEGER NOT NULL);
INSERT INTO size VALUES (0);
"""


def text_digest(text: str) -> bytes:
    """By which the cache knows a text: SHA-256 of its UTF-8."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """What came of asking for many texts: all others are being paid for by somebody else."""

    found: Mapping[bytes, array[float]]
    own: frozenset[bytes]  #: to be paid for by whoever asked


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheStats:
    """How much is in the cache."""

    n_vectors: int
    n_bytes: int
    n_by_model: Mapping[str, int]


class VectorCache:
    """Keeps vectors in a file; without a path in memory, for one process."""

    def __init__(
        self,
        path: str | Path | None,
        *,
        most_bytes: int = MOST_BYTES,
        wait: float = 30.0,
        now: Callable[[], float] = time,
    ) -> None:
        """Open or create it; `wait` seconds for others that write. EmbeddingError when the file can't be used."""
        self._path = path
        self._most_bytes = most_bytes
        self._now = now
        self._lock = RLock()
        self._models: dict[tuple[str, int], int] = {}
        with self._mapped():
            if path is not None:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._owners = Owners(path)
            self._connection = sqlite3.connect(
                path or ":memory:", timeout=wait, isolation_level=None, check_same_thread=False
            )
        self._prepare()

    def get(self, model: str, dims: int, digests: Iterable[bytes]) -> dict[bytes, array[float]]:
        """Those vectors that are there."""
        with self._writing():
            return self._found(self._model(model, dims), list(digests))

    def claim(self, model: str, dims: int, digests: Iterable[bytes], *, claim: str) -> Claimed:
        """The vectors that are there; of the others, those that nobody else is paying for are claimed."""
        wanted = list(dict.fromkeys(digests))
        with self._writing():
            number = self._model(model, dims)
            found = self._found(number, wanted)
            missing = [digest for digest in wanted if digest not in found]
            taken = self._taken(number, missing, claim) if missing else set()
            own = frozenset(digest for digest in missing if digest not in taken)
            owner, now = self._owners.name, self._now()
            self._connection.executemany(
                "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)",
                [(number, digest, owner, claim, now) for digest in own],
            )
            return Claimed(found=found, own=own)

    def put(self, model: str, dims: int, vectors: Mapping[bytes, Sequence[float]]) -> None:
        """Keep vectors, which nobody needs to claim any more."""
        with self._writing():
            number, now, execute = self._model(model, dims), self._now(), self._connection.executemany
            before = self._connection.total_changes
            execute(
                "INSERT OR IGNORE INTO vectors (model, digest, used, vector) VALUES (?, ?, ?, ?)",
                [(number, digest, now, _packed(vector)) for digest, vector in vectors.items()],
            )
            n_new = self._connection.total_changes - before
            execute("DELETE FROM claims WHERE model = ? AND digest = ?", [(number, digest) for digest in vectors])
            self._connection.execute("UPDATE size SET n_bytes = n_bytes + ?", (n_new * (4 * dims + _OVERHEAD),))
            self._evict()

    def release(self, claim: str) -> None:
        """Give up what was claimed under this name and not put."""
        with self._writing():
            self._connection.execute("DELETE FROM claims WHERE owner = ? AND claim = ?", (self._owners.name, claim))

    def stats(self) -> CacheStats:
        """How much is in it."""
        with self._writing():
            counted = "SELECT m.name, count(*) FROM vectors v JOIN models m ON m.number = v.model GROUP BY m.name"
            by_model = dict(self._connection.execute(counted).fetchall())
            return CacheStats(n_vectors=sum(by_model.values()), n_bytes=self._n_bytes(), n_by_model=by_model)

    def clear(self) -> None:
        """Forget all vectors."""
        with self._writing():
            self._connection.execute("DELETE FROM vectors")
            self._connection.execute("UPDATE size SET n_bytes = 0")

    def close(self) -> None:
        """Closing twice is fine."""
        with self._lock:
            self._connection.close()
            self._owners.close()

    # parts

    def _prepare(self) -> None:
        with self._mapped():
            for pragma in ("journal_mode = WAL", "synchronous = NORMAL"):
                self._connection.execute(f"PRAGMA {pragma}").fetchall()
        with self._writing():
            found = self._connection.execute("PRAGMA user_version").fetchone()[0]
            if found == 0:
                for statement in _SCHEMA.split(";"):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version = {_FORMAT}")
            elif found != _FORMAT:
                raise EmbeddingError(f"the vector cache {self._path} was written by another version; remove it")
            owners = self._connection.execute("SELECT DISTINCT owner FROM claims").fetchall()
            gone = [(owner,) for (owner,) in owners if not self._owners.is_alive(owner)]
            self._connection.executemany("DELETE FROM claims WHERE owner = ?", gone)

    def _model(self, name: str, dims: int) -> int:
        """The number of a model, in a transaction."""
        if (known := self._models.get((name, dims))) is None:
            execute = self._connection.execute
            execute("INSERT OR IGNORE INTO models (name, dims) VALUES (?, ?)", (name, dims))
            query = "SELECT number FROM models WHERE name = ? AND dims = ?"
            known = self._models[name, dims] = int(execute(query, (name, dims)).fetchone()[0])
        return known

    def _found(self, model: int, digests: Sequence[bytes]) -> dict[bytes, array[float]]:
        found: dict[bytes, array[float]] = {}
        stale: list[tuple[float, int]] = []
        now = self._now()
        query = "SELECT number, digest, used, vector FROM vectors WHERE model = ? AND digest IN"
        for number, digest, used, vector in self._rows(query, model, digests):
            found[digest] = _unpacked(vector)
            if used < now - _FRESH:
                stale.append((now, number))
        self._connection.executemany("UPDATE vectors SET used = ? WHERE number = ?", stale)
        return found

    def _taken(self, model: int, digests: Sequence[bytes], claim: str) -> set[bytes]:
        """Those that somebody else, who is alive, is paying for."""
        query = "SELECT digest, owner, claim, made FROM claims WHERE model = ? AND digest IN"
        made_after = self._now() - _LONGEST_CLAIM
        alive: dict[str, bool] = {}
        taken = set()
        for digest, owner, other, made in self._rows(query, model, digests):
            if owner not in alive:
                alive[owner] = self._owners.is_alive(owner)
            if alive[owner] and made > made_after and (owner, other) != (self._owners.name, claim):
                taken.add(digest)
        return taken

    def _rows(self, query: str, model: int, digests: Sequence[bytes]) -> Iterator[tuple[Any, ...]]:
        for at in range(0, len(digests), _PER_STATEMENT):
            some = digests[at : at + _PER_STATEMENT]
            yield from self._connection.execute(f"{query} ({', '.join('?' * len(some))})", (model, *some)).fetchall()

    def _n_bytes(self) -> int:
        return int(self._connection.execute("SELECT n_bytes FROM size").fetchone()[0])

    def _evict(self) -> None:
        if (n_bytes := self._n_bytes()) <= self._most_bytes:
            return
        oldest = (
            "SELECT v.number, m.dims FROM vectors v JOIN models m ON m.number = v.model"
            f" ORDER BY v.used, v.number LIMIT {_PER_EVICTION}"
        )
        while n_bytes > _KEPT * self._most_bytes and (rows := self._connection.execute(oldest).fetchall()):
            going = []
            for number, dims in rows:
                if n_bytes > _KEPT * self._most_bytes:
                    n_bytes -= 4 * dims + _OVERHEAD
                    going.append((number,))
            self._connection.executemany("DELETE FROM vectors WHERE number = ?", going)
        self._connection.execute("UPDATE size SET n_bytes = ?", (n_bytes,))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction, of one thread and one process at a time."""
        with self._lock, self._mapped():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                self._models.clear()
                with suppress(sqlite3.Error):  # the error that led here says more
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            where = self._path or "in memory"
            raise EmbeddingError(
                f"the vector cache {where} can't be used: {error}; free room or rights, or remove it"
            ) from error


def _packed(vector: Sequence[float]) -> bytes:
    numbers = array("f", vector)
    if byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _unpacked(packed: bytes) -> array[float]:
    numbers = array("f", packed)
    if byteorder == "big":
        numbers.byteswap()
    return numbers
