"""An Elasticsearch and an OpenSearch of the run's own, the same for all its processes; how they run: tests/servers.

`CONTRACT_ELASTICSEARCH_URL` and `CONTRACT_OPENSEARCH_URL` name servers that run already; indices whose names begin with
`contract-` are made and dropped there. `CONTRACT_SHARDS` says in how many parts each lies.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from servers import elasticsearch_server, opensearch_server, shared
from servers.layout import Server

from callsite.stores import Store
from callsite.stores.elasticsearch import ElasticsearchStore
from callsite.stores.lucene import Options
from callsite.stores.opensearch import OpenSearchStore

ELASTICSEARCH, OPENSEARCH = elasticsearch_server.SERVER, opensearch_server.SERVER
OPTIONS = Options(
    prefix=f"contract-{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}-",
    shards=int(os.environ.get("CONTRACT_SHARDS", "1")),
    replicas=0,
)


@contextmanager
def elasticsearch(options: Options = OPTIONS) -> Iterator[Store]:
    """A store with indices of the worker's own."""
    store = ElasticsearchStore(_given(ELASTICSEARCH) or shared.url(ELASTICSEARCH), options=options)
    yield store
    store.close()


@contextmanager
def opensearch(options: Options = OPTIONS) -> Iterator[Store]:
    """The same on the other server."""
    store = OpenSearchStore(_given(OPENSEARCH) or shared.url(OPENSEARCH), options=options)
    yield store
    store.close()


def begin(server: Server) -> None:
    """Starts it behind what is done meanwhile, unless one is given."""
    if not _given(server):
        shared.begin(server)


def _given(server: Server) -> str:
    return os.environ.get(f"CONTRACT_{server.name.upper()}_URL", "")
