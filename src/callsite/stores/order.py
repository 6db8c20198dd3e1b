"""In which order does a query give its documents? Rounds over its legs, then ids; for cutting, not a ranking."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, zip_longest

from callsite.stores.values import Key

#: One score for each leg; None where the leg did not contribute the document.
Scores = tuple[float | None, ...]


def in_order(given: Mapping[Key, Scores]) -> list[Key]:
    """The best of each leg from left to right, then the second of each, and so on; then those without scores by id."""
    n_legs = len(next(iter(given.values()), ()))
    ranked = [_ranked({key: scores[leg] for key, scores in given.items()}) for leg in range(n_legs)]
    rounds = chain.from_iterable(zip_longest(*ranked))
    found = dict.fromkeys(key for key in rounds if key is not None)
    return [*found, *sorted((key for key in given if key not in found), key=by_id)]


def by_id(key: Key) -> tuple[str, int | str]:
    """Sorts keys by id; the same id in several places by routing."""
    return key.id, key.routing


def by_key(key: Key) -> tuple[int | str, str]:
    """Sorts keys as a scan gives them."""
    return key.routing, key.id


def _ranked(scores: Mapping[Key, float | None]) -> list[Key]:
    scored = {key: score for key, score in scores.items() if score is not None}
    return sorted(scored, key=lambda key: (-scored[key], by_id(key)))
