"""Which vectors have these texts, with as little as possible paid? From the cache, from whoever is paying, or new."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Lock
from uuid import uuid4

from callsite.embedding import Clock, Driver, Embedder, VectorCache
from callsite.errors import EmbeddingError
from callsite.values import dataclass

_LOOK_AGAIN = 0.05  # seconds, at first; then twice as long each time
_LOOK_LATEST = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Paid:
    """The vectors of texts by their digests, and why there are none of others."""

    vectors: Mapping[bytes, array[float]]
    problems: Mapping[bytes, str]
    n_embedded: int
    n_cached: int
    n_truncated: int
    n_tokens: int


class Paying:
    """Gets vectors for several threads; what one of them is paying for, the others wait for."""

    def __init__(self, embedder: Embedder, cache: VectorCache, driver: Driver, clock: Clock) -> None:
        self._embedder = embedder
        self._model, self._dims = embedder.limits.model, embedder.limits.dims
        self._cache = cache
        self._driver = driver
        self._clock = clock
        self._lock = Lock()
        self._failed: dict[bytes, str] = {}

    def vectors_of(self, texts: Mapping[bytes, str]) -> Paid:
        """Errors as those of the driver and the cache; what was paid for until then is in the cache."""
        claim, waits = uuid4().hex, 0
        vectors: dict[bytes, array[float]] = {}
        n_cached = n_embedded = n_truncated = n_tokens = 0
        try:
            while todo := self._open(texts, vectors):
                claimed = self._cache.claim(self._model, self._dims, todo, claim=claim)
                n_cached += len(claimed.found)
                vectors |= claimed.found
                own = {digest: texts[digest] for digest in todo if digest in claimed.own}
                if own:
                    got, truncated = self._embed(own)
                    vectors |= got
                    n_embedded, n_truncated = n_embedded + len(got), n_truncated + truncated
                    n_tokens += sum(self._embedder.n_tokens(own[digest]) for digest in got)
                elif not claimed.found:
                    self._driver.require_going()
                    self._clock.sleep(min(_LOOK_LATEST, _LOOK_AGAIN * 2**waits))
                    waits += 1
        finally:
            with suppress(EmbeddingError):  # claims end with their process too
                self._cache.release(claim)
        return Paid(
            vectors=vectors,
            problems={digest: self._failed[digest] for digest in texts if digest not in vectors},
            n_embedded=n_embedded,
            n_cached=n_cached,
            n_truncated=n_truncated,
            n_tokens=n_tokens,
        )

    def _open(self, texts: Mapping[bytes, str], vectors: Mapping[bytes, array[float]]) -> list[bytes]:
        """Those without an outcome."""
        with self._lock:
            return [digest for digest in texts if digest not in vectors and digest not in self._failed]

    def _embed(self, texts: Mapping[bytes, str]) -> tuple[dict[bytes, array[float]], int]:
        """The vectors that came, and how many of them are of beginnings."""
        digests = list(texts)

        def keep(got: Sequence[tuple[int, array[float]]]) -> None:
            with suppress(EmbeddingError):  # they are paid for, and still get into the store; the next claim fails
                self._cache.put(self._model, self._dims, {digests[place]: vector for place, vector in got})

        found = self._driver.embed(list(texts.values()), keep=keep)
        failed = {digest: one.problem for digest, one in zip(digests, found, strict=True) if one.vector is None}
        with self._lock:
            self._failed |= failed
        vectors = {digest: one.vector for digest, one in zip(digests, found, strict=True) if one.vector is not None}
        return vectors, sum(one.is_truncated for one in found)
