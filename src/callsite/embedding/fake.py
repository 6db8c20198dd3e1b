"""What can be embedded without a model? Everything, with vectors that a hash tells: for tests and measurements."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from hashlib import shake_128
from math import hypot
from threading import Lock

from callsite.embedding.clock import Clock
from callsite.embedding.seam import estimate
from callsite.embedding.values import Limits

#: What an answer can be damaged by, as a fault of the script: fewer vectors than texts, vectors of other dims, with a
#: number that is none, of length zero, or one that is not there.
DAMAGES = ("fewer", "dims", "nan", "zero", "none")

_NUMBERS = [byte - 127.5 for byte in range(256)]


class FakeEmbedder:
    """An Embedder whose vectors follow from the text alone: of length 1, the same everywhere, without any meaning."""

    def __init__(
        self,
        *,
        dims: int = 256,
        model: str = "fake",
        items: int = 256,
        tokens: int = 0,
        tokens_of_item: int = 0,
        delay: float = 0.0,
        faults: Iterable[Exception | str | None] = (),
        clock: Clock | None = None,
    ) -> None:
        """`delay`: seconds of each request. `faults`: of the first requests, in order: what is raised, one of DAMAGES,
        or None for an answer as it should be; all further ones are.
        """
        self._limits = Limits(model=model, dims=dims, items=items, tokens=tokens, tokens_of_item=tokens_of_item)
        self._delay = delay
        self._faults = iter(faults)
        self._clock = clock or Clock()
        self._lock = Lock()
        self.requests: list[tuple[str, ...]] = []  #: the texts of each request, as they came

    @property
    def limits(self) -> Limits:
        return self._limits

    def n_tokens(self, text: str) -> int:
        return estimate(text)

    def embed(self, texts: Sequence[str], *, purpose: str = "document") -> Sequence[array[float] | None]:
        with self._lock:
            self.requests.append(tuple(texts))
            fault = next(self._faults, None)
        if self._delay:
            self._clock.sleep(self._delay)
        if isinstance(fault, Exception):
            raise fault
        vectors = [hashed_vector(text, self._limits.dims) for text in texts]
        return vectors if fault is None else _damaged(vectors, fault)

    def close(self) -> None:
        """Nothing is open."""


def hashed_vector(text: str, dims: int) -> array[float]:
    """A vector of length 1 that follows from the text."""
    digest = shake_128(text.encode("utf-8", "surrogatepass")).digest(dims)
    numbers = [_NUMBERS[byte] for byte in digest]
    length = hypot(*numbers)
    return array("f", [number / length for number in numbers])


def _damaged(vectors: list[array[float]], damage: str) -> Sequence[array[float] | None]:
    first = vectors[0]
    if damage == "fewer":
        return vectors[:-1]
    if damage == "dims":
        return [vector[1:] for vector in vectors]
    if damage == "none":
        return [None, *vectors[1:]]
    if damage == "nan":
        return [array("f", [float("nan"), *first[1:]]), *vectors[1:]]
    if damage == "zero":
        return [array("f", bytes(4 * len(first))), *vectors[1:]]
    raise ValueError(f"{damage!r} is no damage; use {', '.join(DAMAGES)}")
