"""How is a server, and how much is in a collection?"""

from __future__ import annotations

from callsite.collections.definition import Collection
from callsite.stores.lucene.server import Server
from callsite.stores.lucene.snapshot import Snapshot
from callsite.stores.values import Health, Stats


def health(server: Server, engine: str) -> Health:
    """Not well is a cluster that has lost the only copy of something."""
    version = version_of(server)
    state = server.ask("health", "GET", "/_cluster/health", also=(408,)).body
    colour, lost = state.get("status"), state.get("unassigned_primary_shards")
    if colour != "red":
        return Health(engine=engine, version=version, is_well=True)
    note = "the cluster is red: " + (f"{lost} primary shards have no place" if lost else "a primary shard has no place")
    return Health(engine=engine, version=version, is_well=False, notes=(note,))


def version_of(server: Server) -> str:
    """As the server says it."""
    return str(server.ask("its version", "GET", "/").body["version"]["number"])


def stats(state: Snapshot, collection: Collection) -> Stats:
    """Documents, and how many have a vector in each field of vectors."""
    names = [field.name for field in collection.vector_fields()]
    filled = {name: {"filter": {"exists": {"field": name}}} for name in names}
    body = {"size": 0, "query": {"match_all": {}}, "track_total_hits": True} | ({"aggs": filled} if filled else {})
    found = state.search("stats", body)
    n_filled = {name: int(found["aggregations"][name]["doc_count"]) for name in names}
    return Stats(n_documents=int(found["hits"]["total"]["value"]), n_filled=n_filled)
