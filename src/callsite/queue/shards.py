"""How many shards may a queue have? Each reference belongs to one of them, by a hash of its text."""

from __future__ import annotations

from callsite.errors import QueryError

MOST_SHARDS = 1_024


def checked_shards(shards: int | None) -> int | None:
    """The number; QueryError when it can't be meant."""
    if shards is not None and not 1 <= shards <= MOST_SHARDS:
        raise QueryError(f"a queue has 1 to {MOST_SHARDS} shards, not {shards}")
    return shards
