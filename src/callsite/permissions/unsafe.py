"""How does a program search that acts for no user? By naming this function, which a review can look for."""

from __future__ import annotations

from collections.abc import Iterable

from callsite.query.builder import Query
from callsite.stores.seam import Store
from callsite.stores.values import Found


def search_without_permission(
    store: Store, collection: str, query: Query, *, fields: Iterable[str] | None = None
) -> Found:
    """What the store finds, whoever may read it: for upkeep, and for users who may read everything."""
    return store.search(collection, query, fields=fields)
