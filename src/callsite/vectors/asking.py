"""Which vectors do the texts of queries have? All texts of all queries in one call for each model."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

from callsite.embedding import Embedder, Policy, embed_all
from callsite.errors import EmbeddingError, QueryError
from callsite.query.builder import Query
from callsite.query.embed import Asked, texts_of, with_vectors


def embedded_queries(
    queries: Sequence[Query],
    embedders: Mapping[str, Embedder],
    *,
    policy: Policy = Policy(),  # noqa: B008 - a frozen value
) -> tuple[Query, ...]:
    """The queries with vectors in the place of texts; each text is embedded by the embedder of the field it searches.

    QueryError for a field without an embedder; EmbeddingError when a text gets no vector.
    """
    asked = texts_of(*queries)
    vectors: dict[Asked, array[float]] = {}
    for target in dict.fromkeys(target for target, _ in asked):
        if target not in embedders:
            raise QueryError(f"knn(target={target}): no model is known for it, so its text can't be embedded")
        texts = [text for of, text in asked if of == target]
        found = embed_all(embedders[target], texts, purpose="query", policy=policy)
        for text, one in zip(texts, found, strict=True):
            if one.vector is None:
                raise EmbeddingError(f"the text of knn(target={target}) can't be embedded: {one.problem}")
            vectors[target, text] = one.vector
    return tuple(with_vectors(query, vectors) for query in queries)
