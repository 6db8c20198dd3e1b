"""In what do the two servers differ? Vectors, points in time, settings of an index; nothing else is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from callsite.query.fields import Field

Json = dict[str, Any]

#: Candidates that an approximate search looks at for the k nearest, on each shard.
_FEWEST_CANDIDATES = 200  # recall@10 is above .99 from here on, see docs/why/search-servers.md
MOST_CANDIDATES = 10_000


class Dialect(Protocol):
    """What one server wants to be told in its own way."""

    product: str  #: as people call it
    engine: str  #: as `health` calls it

    def settings(self, version: str) -> Mapping[str, object]:
        """Of an index on a server of that version, beside those that both take."""

    def vector(self, field: Field) -> Json:
        """The mapping of a field of vectors."""

    def by_all(self, field: str, vector: Sequence[float], among: Json) -> Json:
        """The query that compares each document; all that pass have a vector. Its scores are `cosine_by_all`'s."""

    def by_graph(self, field: str, vector: Sequence[float], among: Json, limit: int) -> Json:
        """The body of a search that may miss some; its scores are (1 + cosine) / 2."""

    def cosine_by_all(self, score: float) -> float:
        """The cosine that a score of `by_all` says."""

    def open_path(self, index: str) -> str:
        """Where a point in time is asked for."""

    def opened(self, reply: Mapping[str, Any]) -> str:
        """The name of the one that was given."""

    def close_request(self, name: str) -> tuple[str, Json]:
        """Path and body of the DELETE that gives it back."""


def candidates(limit: int) -> int:
    """So many are looked at for the nearest `limit`."""
    return min(MOST_CANDIDATES, max(_FEWEST_CANDIDATES, 2 * limit))
