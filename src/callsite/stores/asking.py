"""Can the collection answer this? Checks that every store makes before it runs a query."""

from __future__ import annotations

from collections.abc import Iterable

from callsite.collections.definition import Collection
from callsite.errors import CollectionError, QueryError
from callsite.query.builder import Query
from callsite.query.check import checked
from callsite.query.embed import texts_of
from callsite.query.nodes import is_settled
from callsite.query.values import shown
from callsite.stores.rows import key_problem
from callsite.stores.seam import MOST_IN_PAGE
from callsite.stores.values import Key


def ready(collection: Collection, query: Query) -> Query:
    """The query as it is run; QueryError when it does not fit the collection or waits for vectors."""
    query = checked(query, collection.schema)
    if waiting := texts_of(query):
        target, text = waiting[0]
        raise QueryError(f"knn(target={target}): the text {shown(text)} has no vector yet; embed it first")
    return query


def settled(collection: Collection, query: Query, doing: str) -> Query:
    """The same for what takes no knn and no limit: each document alone has to decide."""
    query = ready(collection, query)
    if not is_settled(query.node):
        raise QueryError(f"{doing}: the query holds a knn or a limit, whose documents change with others; leave it out")
    return query


def names_of(collection: Collection, fields: Iterable[str] | None) -> tuple[str, ...]:
    """Which fields are asked for: without a choice all but vectors; QueryError for one that is not there."""
    known = {field.name: field.kind for field in collection.schema.fields}
    if fields is None:
        return tuple(name for name, kind in known.items() if kind != "vector")
    names = tuple(dict.fromkeys(fields))
    for name in names:
        if name not in known:
            raise QueryError(f"fields: {collection.schema.unknown(name)}")
    return names


def page_of(collection: Collection, after: Key | None, size: int) -> int:
    """The size of a page; QueryError when no page can have it, or none can begin after the key."""
    if after is not None and (problem := key_problem(collection, after)):
        raise QueryError(f"scan: after: {problem}")
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MOST_IN_PAGE:
        raise QueryError(f"scan: size is {shown(size)}; it has to be an integer from 1 to {MOST_IN_PAGE:,}")
    return size


def unknown(name: str, there: Iterable[str]) -> CollectionError:
    """The error for a collection that is not there."""
    known = ", ".join(sorted(there)) or "none"
    return CollectionError(
        f"there is no collection {shown(name)}; there are: {known}. Create it, or index a repository into the store"
    )
