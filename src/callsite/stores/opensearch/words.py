"""What does OpenSearch want to be told in its own way? Vectors, of which Lucene filters best, and points in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from callsite.query.fields import Field
from callsite.stores.lucene.dialect import Json, candidates

_SPACE = "cosinesimil"


class OpenSearchWords:
    """A Dialect."""

    product = "OpenSearch"
    engine = "opensearch"

    def settings(self, version: str) -> Mapping[str, object]:
        return {"knn": True}

    def vector(self, field: Field) -> Json:
        method = {
            "name": "hnsw",
            "engine": "lucene",
            "space_type": _SPACE,
            "parameters": {"m": 16, "ef_construction": 100},
        }
        return {"type": "knn_vector", "dimension": field.dims, "method": method}

    def by_all(self, field: str, vector: Sequence[float], among: Json) -> Json:
        params = {"field": field, "query_value": vector, "space_type": _SPACE}
        return {"script_score": {"query": among, "script": {"lang": "knn", "source": "knn_score", "params": params}}}

    def by_graph(self, field: str, vector: Sequence[float], among: Json, limit: int) -> Json:
        near = {"vector": vector, "k": limit, "filter": among, "method_parameters": {"ef_search": candidates(limit)}}
        return {"query": {"knn": {field: near}}}

    def cosine_by_all(self, score: float) -> float:
        return 2.0 * score - 1.0

    def open_path(self, index: str) -> str:
        return f"/{index}/_search/point_in_time"

    def opened(self, reply: Mapping[str, Any]) -> str:
        return str(reply["pit_id"])

    def close_request(self, name: str) -> tuple[str, Json]:
        return "/_search/point_in_time", {"pit_id": [name]}
