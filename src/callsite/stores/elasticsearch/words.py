"""What does Elasticsearch want to be told in its own way? Vectors and points in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from callsite.query.fields import Field
from callsite.stores.lucene.dialect import Json, candidates

_VECTORS_LEFT_OUT = (9, 2)


class ElasticsearchWords:
    """A Dialect."""

    product = "Elasticsearch"
    engine = "elasticsearch"

    def settings(self, version: str) -> Mapping[str, object]:
        """From 9.2 on, vectors are left out of what is kept of a document, and so of what a lookup gives."""
        major, minor = (int(part) for part in version.split(".")[:2])
        return {"mapping.exclude_source_vectors": False} if (major, minor) >= _VECTORS_LEFT_OUT else {}

    def vector(self, field: Field) -> Json:
        """Whole numbers of single precision: the server's own choice rounds them to bytes, and cosines with them."""
        graph = {"type": "hnsw", "m": 16, "ef_construction": 100}
        return {
            "type": "dense_vector",
            "dims": field.dims,
            "index": True,
            "similarity": "cosine",
            "index_options": graph,
        }

    def by_all(self, field: str, vector: Sequence[float], among: Json) -> Json:
        script = {"source": f"cosineSimilarity(params.vector, '{field}') + 1.0", "params": {"vector": vector}}
        return {"script_score": {"query": among, "script": script}}

    def by_graph(self, field: str, vector: Sequence[float], among: Json, limit: int) -> Json:
        near = {"field": field, "query_vector": vector, "k": limit, "num_candidates": candidates(limit)}
        return {"knn": near | {"filter": among}}

    def cosine_by_all(self, score: float) -> float:
        return score - 1.0

    def open_path(self, index: str) -> str:
        return f"/{index}/_pit"

    def opened(self, reply: Mapping[str, Any]) -> str:
        return str(reply["id"])

    def close_request(self, name: str) -> tuple[str, Json]:
        return "/_pit", {"id": name}
