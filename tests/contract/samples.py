"""A collection with a field of every kind, documents for it, and short ways to fill and ask a store."""

from __future__ import annotations

from callsite.collections import Collection
from callsite.query import Query
from callsite.query.nodes import is_settled
from callsite.stores import Key

FIELDS = {
    "project_id": "integer",
    "kind": "keyword",
    "n": "integer",
    "flag": "boolean",
    "at": "timestamp",
    "tags": "keywords",
    "numbers": "integers",
    "path": "keyword",
    "name": "keyword",
    "content": "text",
    "v": "vector(2)",
    "w": "vector(2)",
}
LEXICAL = {"path": "path", "symbols": "name", "words": "content"}
SMALL = Collection.of("small", routing="project_id", fields=FIELDS, lexical=LEXICAL)
PROJECT = 1


def document(id, **fields):
    """A document of the first project, unless it says otherwise."""
    return {"id": id, "project_id": PROJECT, **fields}


def key(id, project=PROJECT):
    return Key(project, id)


def emptied(store):
    """The store without collections."""
    for collection in store.collections():
        store.drop(collection.name)
    return store


def filled(store, documents, collection=SMALL):
    """The store with a new collection that holds these."""
    store.create(collection)
    outcomes = store.upsert(collection.name, documents)
    assert [(one.state, one.problem) for one in outcomes] == [("created", "")] * len(outcomes)
    store.refresh(collection.name)
    return store


def ids(store, query, collection=SMALL):
    """What a query gives, in its order; counted, and scanned where that is possible, it has to be the same."""
    found = store.search(collection.name, query)
    given = [candidate.document.key.id for candidate in found.candidates]
    assert store.count(collection.name, query) == len(given)
    if is_settled(query.node):
        scanned = store.scan(collection.name, query, size=10_000, fields=[]).documents
        assert sorted(one.key.id for one in scanned) == sorted(given)
    return given


def check(store, query, expected, collection=SMALL):
    """`expected` is ids in order, separated by spaces."""
    assert " ".join(ids(store, query, collection)) == expected


def scores(store, query, collection=SMALL):
    """Id → raw scores of the legs."""
    found = store.search(collection.name, query)
    return {candidate.document.key.id: candidate.scores for candidate in found.candidates}


def states(outcomes):
    return [outcome.state for outcome in outcomes]


def everything(store, collection=SMALL):
    """All documents with all their fields, by key."""
    names = [field.name for field in store_fields(store, collection.name)]
    pages = pages_of(store, Query.all(), collection, size=100, fields=names)
    return {one.key: dict(one.fields) for page in pages for one in page.documents}


def pages_of(store, query, collection=SMALL, **how):
    """All pages of a scan; each begins after the one before, so that there is an end to them."""
    found = [store.scan(collection.name, query, **how)]
    while (after := found[-1].after) is not None:
        found.append(store.scan(collection.name, query, after=after, **how))
        first = next(iter(found[-1].documents), None)
        assert first is None or (first.key.routing, first.key.id) > (after.routing, after.id)
        assert found[-1].after != after
    return found


def store_fields(store, name):
    return next(one for one in store.collections() if one.name == name).schema.fields


def lettered():
    """The documents of the page on the query language: a1 b1 a2 b2 a3, by v the nearest first, by w the last."""
    return [
        document(id, kind=id[0], n=int(id[1]), v=[1.0, place / 8], w=[1.0, (5 - place) / 8])
        for place, id in enumerate(["a1", "b1", "a2", "b2", "a3"])
    ]


def near(limit, *, target="v", vector=(1.0, 0.0)):
    """The nearest to (1, 0)."""
    return Query.knn(target=target, vector=vector, limit=limit)
