"""How do several requests see one state of an index? A point in time, and pages of any number of hits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from callsite.errors import StoreError
from callsite.stores.lucene.dialect import Dialect, Json
from callsite.stores.lucene.server import Server

MOST_HITS = 10_000  # of one request
_KEPT = "2m"  # after each request

Hit = dict[str, Any]

AS_IS: Mapping[str, str] = {}
#: For scores that go by how frequent terms are: in all shards, not in each alone.
BY_WORDS = {"search_type": "dfs_query_then_fetch"}


class Snapshot:
    """Answers searches; without a name, each sees the index as it is then."""

    def __init__(self, server: Server, index: str, name: str = "") -> None:
        self._server = server
        self._index = index
        self.name = name

    def hits(self, doing: str, body: Json, n: int, *, by: Mapping[str, str] = AS_IS) -> list[Hit]:
        """The first n in the order that the body tells."""
        found: list[Hit] = []
        after: Json = {}
        while len(found) < n:
            size = min(n - len(found), MOST_HITS)
            page = self.search(doing, body | after | {"size": size, "track_total_hits": False}, by)["hits"]["hits"]
            found += page
            if len(page) < size:
                break
            after = {"search_after": page[-1]["sort"]} if "sort" in body else {}
        return found

    def count(self, doing: str, query: Json, most: int | None = None) -> int:
        """How many documents a query gives; at least `most` when it stops counting there."""
        body = {"size": 0, "query": query, "track_total_hits": True if most is None else most}
        return int(self.search(doing, body)["hits"]["total"]["value"])

    def search(self, doing: str, body: Json, by: Mapping[str, str] = AS_IS) -> Json:
        """What the server answers; nothing when a part of the index can't be asked."""
        params = {"allow_partial_search_results": "false", **by}
        path = f"/{self._index}/_search"
        if self.name:
            path, body = "/_search", body | {"pit": {"id": self.name, "keep_alive": _KEPT}}
        found: Json = self._server.ask(doing, "POST", path, params=params, body=body).body
        self.name = found.get("pit_id", self.name)
        return found


@contextmanager
def snapshot(server: Server, dialect: Dialect, index: str, doing: str) -> Iterator[Snapshot]:
    """The index as it is now, as long as it is asked."""
    reply = server.ask(doing, "POST", dialect.open_path(index), params={"keep_alive": _KEPT})
    found = Snapshot(server, index, dialect.opened(reply.body))
    try:
        yield found
    finally:
        path, body = dialect.close_request(found.name)
        with suppress(StoreError):  # the server forgets it by itself
            server.ask(doing, "DELETE", path, body=body, also=(404,))
