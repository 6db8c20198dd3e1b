"""Which vectors are nearest? All of them are compared, in memory, so no filter and no change can make an answer wrong.

Cosines in single precision choose candidates, exact ones decide. It knows rows and where they are routed, no documents.
Needs numpy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Scored = list[tuple[int, float]]  #: rows with cosines, in no order
Routing = int | str

_UNSURE = 1e-5  # what a cosine in single precision may differ from the exact one, with 4,096 dimensions
_BELOW_ALL = -2.0
_FIRST_LOOK = 256
_GROWTH = 4
_ROOM = 64  # vectors


class Vectors:
    """The vectors of one field by row; rows of removed documents have to be left out by whoever asks."""

    def __init__(self, dims: int) -> None:
        self._dims = dims
        self._parts: dict[Routing, _Part] = {}
        self._place_of: dict[int, tuple[_Part, int]] = {}

    def __len__(self) -> int:
        return len(self._place_of)

    def put(self, kept: Iterable[tuple[int, Routing, bytes | None]]) -> None:
        """Take vectors in, 32-bit floats of this machine's order; a row that was there has the new one, or none."""
        given: dict[Routing, dict[int, bytes]] = defaultdict(dict)
        for row, routing, vector in kept:
            if vector is not None:
                given[routing][row] = vector
            elif found := self._place_of.pop(row, None):
                found[0].forget(found[1])
        for routing, vectors in given.items():
            part = self._parts.setdefault(routing, _Part(self._dims))
            places = [self._place_of[row][1] if row in self._place_of else part.take() for row in vectors]
            part.put(places, list(vectors), np.frombuffer(b"".join(vectors.values()), np.float32))
            self._place_of.update({row: (part, place) for row, place in zip(vectors, places, strict=True)})

    def of_rows(self, asked: Sequence[float], rows: Iterable[int]) -> Scored:
        """The cosines of these rows, as far as they have a vector."""
        places: dict[_Part, list[int]] = defaultdict(list)
        for row in rows:
            if found := self._place_of.get(row):
                places[found[0]].append(found[1])
        query = np.asarray(asked, np.float32)
        return [one for part, some in places.items() for one in part.exact(query, np.asarray(some, np.int64))]

    def best_first(self, asked: Sequence[float], routings: Iterable[Routing] | None) -> Iterator[tuple[Scored, float]]:
        """More and more of the rows that are routed so, and a cosine that none of the others exceeds."""
        wanted = self._parts if routings is None else dict.fromkeys(one for one in routings if one in self._parts)
        parts = [self._parts[routing] for routing in wanted]
        query = np.asarray(asked, np.float32)
        near = np.concatenate([part.near(query) for part in parts]) if parts else np.zeros(0, np.float32)
        starts = np.cumsum([0, *(part.n for part in parts)])
        look = _FIRST_LOOK
        while look < len(near):
            best = np.argpartition(-near, look)[: look + 1]
            yield _exact(query, parts, starts, best), float(near[best[-1]]) + _UNSURE
            look *= _GROWTH
        yield _exact(query, parts, starts, np.arange(len(near))), _BELOW_ALL


class _Part:
    """The vectors of one routing value, without gaps but for those that were forgotten."""

    def __init__(self, dims: int) -> None:
        self.n = 0
        self._matrix = np.zeros((_ROOM, dims), np.float32)
        self._lengths = np.full(_ROOM, np.inf)  # of nothing: its cosine is 0, and `_NOBODY` has it
        self._rows = np.full(_ROOM, _NOBODY, np.int64)

    def take(self) -> int:
        """A place that is free; room for it is made by `put`."""
        self.n += 1
        return self.n - 1

    def put(self, places: list[int], rows: list[int], numbers: NDArray[np.float32]) -> None:
        if self.n > len(self._rows):
            more = max(self.n, 2 * len(self._rows)) - len(self._rows)
            self._matrix = np.concatenate([self._matrix, np.zeros((more, self._matrix.shape[1]), np.float32)])
            self._lengths = np.concatenate([self._lengths, np.full(more, np.inf)])
            self._rows = np.concatenate([self._rows, np.full(more, _NOBODY, np.int64)])
        vectors = numbers.reshape(len(places), -1)
        at = np.asarray(places, np.int64)
        self._matrix[at] = vectors
        self._lengths[at] = np.sqrt((vectors.astype(np.float64) ** 2).sum(axis=1))
        self._rows[at] = rows

    def forget(self, place: int) -> None:
        self._lengths[place], self._rows[place] = np.inf, _NOBODY

    def near(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        """The cosines of all places, nearly."""
        lengths = (self._lengths[: self.n] * np.sqrt(np.dot(query, query))).astype(np.float32)
        products = np.einsum("ij,j->i", self._matrix[: self.n], query)  # `@` waits for its threads
        found: NDArray[np.float32] = products / lengths
        return found

    def exact(self, query: NDArray[np.float32], places: NDArray[np.int64]) -> Scored:
        """In double precision, each row by itself, so that equal vectors have equal cosines wherever they lie."""
        asked = query.astype(np.float64)
        products = (self._matrix[places].astype(np.float64) * asked).sum(axis=1)
        cosines = (products / (self._lengths[places] * np.sqrt((asked * asked).sum()))).astype(np.float32)
        return list(zip(self._rows[places].tolist(), cosines.tolist(), strict=True))


_NOBODY = -1


def _exact(
    query: NDArray[np.float32], parts: Sequence[_Part], starts: NDArray[np.int64], places: NDArray[np.int64]
) -> Scored:
    """Of places in all parts, counted from the first of the first."""
    found: Scored = []
    for part, start in zip(parts, starts, strict=False):
        found += part.exact(query, places[(places >= start) & (places < start + part.n)] - start)
    return found
