"""Which texts of a query wait for vectors? They are collected from any number of queries and embedded in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from callsite.errors import QueryError
from callsite.query.builder import Query
from callsite.query.make import knn_of
from callsite.query.nodes import Knn, rebuilt, walk
from callsite.query.values import shown

#: The field of vectors, whose model has to embed it, and the text.
Asked = tuple[str, str]


def texts_of(*queries: Query) -> tuple[Asked, ...]:
    """What has to be embedded before the queries run: each field and text once, in order."""
    nodes = (node for query in queries for node in walk(query.node))
    return tuple(dict.fromkeys((node.target, node.text) for node in nodes if isinstance(node, Knn) and node.text))


def with_vectors(query: Query, vectors: Mapping[Asked, Iterable[float]]) -> Query:
    """The query with a vector in the place of each text; QueryError when one is not there or is no vector."""

    def embedded(node: Knn) -> Knn:
        if not node.text:
            return node
        vector = vectors.get((node.target, node.text))
        if vector is None:
            raise QueryError(f"knn(target={node.target}): there is no vector for {shown(node.text)}; embed it first")
        return knn_of(target=node.target, vector=vector, limit=node.limit)

    return Query(rebuilt(query.node, embedded))
