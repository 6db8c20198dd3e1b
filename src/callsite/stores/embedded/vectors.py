"""Which vectors are nearest? All of them are compared, in memory, so no filter and no change can make an answer wrong.

Cosines in single precision choose candidates, exact ones decide. It knows rows, no documents. Needs numpy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Ranked = list[tuple[int, float]]  #: rows with cosines, best first

_UNSURE = 1e-5  # what a cosine in single precision may differ from the exact one, with 4,096 dimensions
_BELOW_ALL = -2.0
_FIRST_LOOK = 256
_GROWTH = 4
_ROOM = 1_024


class Vectors:
    """The vectors of one field by row; rows that are gone have to be left out by whoever asks."""

    def __init__(self, dims: int) -> None:
        self._n = 0
        self._place_of: dict[int, int] = {}
        self._matrix = np.zeros((_ROOM, dims), np.float32)
        self._lengths = np.ones(_ROOM)
        self._rows = np.zeros(_ROOM, np.int64)

    def put(self, kept: Iterable[tuple[int, bytes]]) -> None:
        """Take vectors in, 32-bit floats of this machine's order; a row that was there has the new one."""
        given = dict(kept)
        if not given:
            return
        rows = np.fromiter(given, np.int64, len(given))
        vectors = np.frombuffer(b"".join(given.values()), np.float32).reshape(len(given), -1)
        places = np.fromiter((self._place(row) for row in given), np.int64, len(given))
        self._make_room()
        self._matrix[places] = vectors
        self._lengths[places] = np.sqrt((vectors.astype(np.float64) ** 2).sum(axis=1))
        self._rows[places] = rows

    def _place(self, row: int) -> int:
        place = self._place_of.setdefault(row, self._n)
        self._n = max(self._n, place + 1)
        return place

    def _make_room(self) -> None:
        if self._n > len(self._rows):
            more = max(self._n, 2 * len(self._rows)) - len(self._rows)
            self._matrix = np.concatenate([self._matrix, np.zeros((more, self._matrix.shape[1]), np.float32)])
            self._lengths = np.concatenate([self._lengths, np.ones(more)])
            self._rows = np.concatenate([self._rows, np.zeros(more, np.int64)])

    def __len__(self) -> int:
        return self._n

    def of_rows(self, asked: Sequence[float], rows: Sequence[int]) -> Ranked:
        """The cosines of these rows, exactly, as far as they have a vector; in no order."""
        places = [place for row in rows if (place := self._place_of.get(row)) is not None]
        return self._exact(np.asarray(asked, np.float32), np.asarray(places, np.int64))

    def best_first(self, asked: Sequence[float]) -> Iterator[tuple[Ranked, float]]:
        """More and more rows with exact cosines, best first, and a cosine that none of the others exceeds."""
        query = np.asarray(asked, np.float32)
        near = (self._matrix[: self._n] @ query) / (self._lengths[: self._n] * np.sqrt(np.dot(query, query)))
        look = _FIRST_LOOK
        while look < self._n:
            best = np.argpartition(-near, look)[: look + 1]
            yield self._exact(query, best), float(near[best[-1]]) + _UNSURE
            look *= _GROWTH
        yield self._exact(query, np.arange(self._n)), _BELOW_ALL

    def _exact(self, query: NDArray[np.float32], places: NDArray[np.int64]) -> Ranked:
        """In double precision, each row by itself, so that equal vectors have equal cosines wherever they lie."""
        asked = query.astype(np.float64)
        products = (self._matrix[places].astype(np.float64) * asked).sum(axis=1)
        cosines = products / (self._lengths[places] * np.sqrt((asked * asked).sum()))
        return list(zip(self._rows[places].tolist(), cosines.astype(np.float32).tolist(), strict=True))
