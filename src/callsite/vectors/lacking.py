"""Which documents of a collection lack a vector? Pages of them, with what their texts are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from callsite.collections.definition import Collection
from callsite.errors import CollectionError
from callsite.query.builder import Query
from callsite.stores import reading
from callsite.stores.seam import Store
from callsite.stores.values import Document


def collection_of(store: Store, name: str, field: str, dims: int) -> Collection:
    """The collection, whose field takes vectors of so many dims; CollectionError when there is no such thing."""
    found = reading.collection_named(store, name)
    if found is None:
        raise CollectionError(f"there is no collection {name}; index a repository into the store first")
    wanted = next((one for one in found.vector_fields() if one.name == field), None)
    if wanted is None:
        there = ", ".join(one.name for one in found.vector_fields()) or "none"
        raise CollectionError(f"the collection {name} has no field {field} for vectors; it has {there}")
    if wanted.dims != dims:
        raise CollectionError(
            f"{field} of {name} takes vectors of {wanted.dims} dimensions, the model gives {dims};"
            " set dims, or migrate the collection to the model"
        )
    return found


def lacking(field: str, where: Query | None) -> Query:
    """The query for documents without a vector."""
    return Query.missing(field) if where is None else Query.missing(field) & where


def pages(
    store: Store, collection: Collection, query: Query, fields: Iterable[str], sizes: Iterator[int]
) -> Iterator[tuple[Document, ...]]:
    """The documents in the order of their keys; each page as large as is said when it is read."""
    known = {field.name for field in collection.schema.fields}
    names = [name for name in fields if name in known]
    found = reading.pages(store, collection.name, query, sizes=sizes, fields=names)
    return (page.documents for page in found if page.documents)
