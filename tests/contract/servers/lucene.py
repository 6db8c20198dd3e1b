"""An Elasticsearch and an OpenSearch of the run's own, the same for all its processes; how they run: tests/servers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from servers import elasticsearch_server, opensearch_server, shared

from callsite.stores import Store
from callsite.stores.elasticsearch import ElasticsearchStore
from callsite.stores.lucene import Options
from callsite.stores.opensearch import OpenSearchStore

ELASTICSEARCH, OPENSEARCH = elasticsearch_server.SERVER, opensearch_server.SERVER
OPTIONS = Options(prefix=f"contract-{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}-", replicas=0)


@contextmanager
def elasticsearch() -> Iterator[Store]:
    """A store with indices of the worker's own."""
    store = ElasticsearchStore(shared.url(ELASTICSEARCH), options=OPTIONS)
    yield store
    store.close()


@contextmanager
def opensearch() -> Iterator[Store]:
    """The same on the other server."""
    store = OpenSearchStore(shared.url(OPENSEARCH), options=OPTIONS)
    yield store
    store.close()
