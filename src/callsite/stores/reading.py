"""How does one go through a store of any kind? All pages of a query, and a collection by its name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat

from callsite.collections.definition import Collection
from callsite.query.builder import Query
from callsite.stores.seam import MOST_IN_PAGE, Store
from callsite.stores.values import Key, Page


def pages(
    store: Store,
    collection: str,
    query: Query,
    *,
    after: Key | None = None,
    sizes: Iterable[int] = repeat(MOST_IN_PAGE),
    fields: Iterable[str] | None = None,
) -> Iterator[Page]:
    """The documents of a query in the order of their keys; each page as large as is said when it is read."""
    names = None if fields is None else tuple(fields)
    for size in sizes:
        page = store.scan(collection, query, after=after, size=size, fields=names)
        yield page
        if (after := page.after) is None:
            return


def collection_named(store: Store, name: str) -> Collection | None:
    """The collection of that name, as the store has it now; None when there is none."""
    return next((one for one in store.collections() if one.name == name), None)
