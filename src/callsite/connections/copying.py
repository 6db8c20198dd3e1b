"""How do collections get from one store to another, with their vectors, and is the copy the same?

Nothing is removed anywhere. A copy that was interrupted goes on by being started again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import repeat

from callsite.collections.definition import Collection
from callsite.errors import StoreError
from callsite.query.builder import Query
from callsite.stores.reading import collection_named, pages
from callsite.stores.seam import Store
from callsite.stores.values import Document
from callsite.values import dataclass

_PER_PAGE = 1_000
_SAMPLES = 20
_NEAR = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """What a copy wrote."""

    n_collections: int
    n_documents: int


def copied(source: Store, target: Store, *, on_page: Callable[[int], None] | None = None) -> Copied:
    """Copy all collections; `on_page` is told how many documents were written. StoreError for one that was refused."""
    n_documents = 0
    collections = source.collections()
    for collection in collections:
        _made_there(collection, target)
        names = [field.name for field in collection.schema.fields]
        for page in pages(source, collection.name, Query.all(), sizes=repeat(_PER_PAGE), fields=names):
            outcomes = target.upsert(collection.name, (_whole(collection, one) for one in page.documents))
            for outcome in outcomes:
                if outcome.problem:
                    raise StoreError(f"{collection.name}: {outcome.key}: {outcome.problem}")
            n_documents += len(page.documents)
            if on_page is not None and page.documents:
                on_page(n_documents)
        target.refresh(collection.name)
    return Copied(n_collections=len(collections), n_documents=n_documents)


def differences(source: Store, target: Store) -> Iterator[str]:
    """What is not the same: collections, counts, and answers to questions made from some documents."""
    there = {collection.name: collection for collection in target.collections()}
    for collection in source.collections():
        name = collection.name
        if name not in there:
            yield f"there is no collection {name}"
            continue
        if there[name].schema != collection.schema:
            yield f"the collection {name} has other fields"
            continue
        source.refresh(name)
        target.refresh(name)
        yield from _counts(source, target, name)
        yield from _answers(source, target, collection)


def _made_there(collection: Collection, target: Store) -> None:
    """The collection, or the one of that name that the target has when its fields are the same."""
    there = collection_named(target, collection.name)
    if there is None or (there.schema, there.routing, there.lexical) != (
        collection.schema,
        collection.routing,
        collection.lexical,
    ):
        target.create(collection)


def _whole(collection: Collection, document: Document) -> dict[str, object]:
    return {**document.fields, "id": document.key.id, collection.routing: document.key.routing}


def _counts(source: Store, target: Store, name: str) -> Iterator[str]:
    one, other = source.stats(name), target.stats(name)
    if one.n_documents != other.n_documents:
        yield f"{name}: {one.n_documents:,} documents became {other.n_documents:,}"
    for field, n in one.n_filled.items():
        if other.n_filled.get(field) != n:
            yield f"{name}: {n:,} vectors in {field} became {other.n_filled.get(field, 0):,}"


def _answers(source: Store, target: Store, collection: Collection) -> Iterator[str]:
    """Filters and words give the same numbers, nearness the same documents."""
    names = [field.name for field in collection.schema.fields]
    sample = source.scan(collection.name, Query.all(), size=_SAMPLES, fields=names).documents
    for document in sample:
        for to, field in collection.lexical:
            if text := str(document.fields.get(field, ""))[:200]:
                said = Query.match(text, **{to: 1.0})
                if source.count(collection.name, said) != target.count(collection.name, said):
                    yield f"{collection.name}: other documents hold the words of {document.key.id}"
        for vector_field in collection.vector_fields():
            vector = document.fields.get(vector_field.name)
            if isinstance(vector, tuple):
                near = Query.knn(target=vector_field.name, vector=vector, limit=_NEAR)  # type: ignore[arg-type]
                if _ids(source, collection, near) != _ids(target, collection, near):
                    yield f"{collection.name}: others are near to {document.key.id} by {vector_field.name}"


def _ids(store: Store, collection: Collection, query: Query) -> set[str]:
    return {one.document.key.id for one in store.search(collection.name, query, fields=[]).candidates}
