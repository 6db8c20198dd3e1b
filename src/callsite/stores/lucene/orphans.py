"""How do documents go that nothing keeps any more? By query, again until none is left."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from callsite.errors import StoreUnreachable
from callsite.query.make import MOST_VALUES
from callsite.query.values import text_problem
from callsite.stores.lucene.dialect import Json
from callsite.stores.lucene.filters import having
from callsite.stores.lucene.server import Server

_N_CONFLICTS = 10  # rounds in which others wrote the same documents meanwhile
_MOST_AT_ONCE = 20_000  # documents of one request, so that it ends before the client loses patience
_DOING = "delete_orphans"


def delete_orphans(server: Server, index: str, condition: Json, keep: AbstractSet[str]) -> int:
    """How many went of those that pass and are not kept.

    A search sees what was written once the index is refreshed, so that is done first. A document that changed
    meanwhile is looked at again: it may not be an orphan any more.
    """
    kept = [id for id in keep if isinstance(id, str) and not text_problem(id)]
    some = [kept[at : at + MOST_VALUES] for at in range(0, len(kept), MOST_VALUES)]  # as many as one condition takes
    query = {"bool": {"filter": [condition], "must_not": [having("id", ids) for ids in some]}}
    gone = n_conflicts = 0
    while n_conflicts < _N_CONFLICTS:
        server.ask(_DOING, "POST", f"/{index}/_refresh")
        found = _round(server, index, query)
        gone += int(found["deleted"])
        if found["version_conflicts"]:
            server.pause(n_conflicts)
            n_conflicts += 1
        elif found["deleted"] < _MOST_AT_ONCE:
            return gone
    raise StoreUnreachable(f"{server.product}, {_DOING}: others write the same documents all the time; try again")


def _round(server: Server, index: str, query: Json) -> Json:
    path, params = f"/{index}/_delete_by_query", {"conflicts": "proceed", "max_docs": str(_MOST_AT_ONCE)}
    found: Json = server.ask(_DOING, "POST", path, params=params, body={"query": query}).body
    if failures := found.get("failures"):
        raise StoreUnreachable(f"{server.product}, {_DOING}: {len(failures)} documents could not go; try again")
    return found
