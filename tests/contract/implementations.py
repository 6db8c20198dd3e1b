"""Which stores have to pass the suite? One entry each; a new store is one more.

A server has to be one of the run's own: tests drop collections. Under pytest-xdist every worker opens its own store, so
an entry keeps workers apart (a schema, a prefix of names).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory

from callsite.stores import Store
from callsite.stores.embedded import EmbeddedStore
from callsite.stores.memory import MemoryStore


@dataclass(frozen=True, kw_only=True)
class Implementation:
    """A store, and what may be expected of its numbers."""

    open: Callable[[], AbstractContextManager[Store]]
    begin: Callable[[], None] = lambda: None  #: starts what it needs, and does not wait for it
    has_same_bm25: bool = True  #: the scores of match are those of the oracle; otherwise they only rank alike


@contextmanager
def _memory() -> Iterator[Store]:
    store = MemoryStore()
    yield store
    store.close()


@contextmanager
def _embedded() -> Iterator[Store]:
    with TemporaryDirectory() as folder:
        store = EmbeddedStore(folder)
        yield store
        store.close()


@contextmanager
def _postgres() -> Iterator[Store]:
    from servers.postgres import opened

    with opened() as store:
        yield store


@contextmanager
def _elasticsearch() -> Iterator[Store]:
    from servers.lucene import elasticsearch

    with elasticsearch() as store:
        yield store


@contextmanager
def _opensearch() -> Iterator[Store]:
    from servers.lucene import opensearch

    with opensearch() as store:
        yield store


def _begin_elasticsearch() -> None:
    from servers.lucene import ELASTICSEARCH, begin

    begin(ELASTICSEARCH)


def _begin_opensearch() -> None:
    from servers.lucene import OPENSEARCH, begin

    begin(OPENSEARCH)


_ALL = {
    "memory": Implementation(open=_memory),
    "embedded": Implementation(open=_embedded),
    "postgres": Implementation(open=_postgres),
    "elasticsearch": Implementation(open=_elasticsearch, begin=_begin_elasticsearch),
    "opensearch": Implementation(open=_opensearch, begin=_begin_opensearch),
}
#: CONTRACT_SERVERS names those that run, separated by commas; Elasticsearch and OpenSearch are downloaded at first.
CHOSEN = os.environ.get("CONTRACT_SERVERS", "memory,embedded,postgres").split(",")
IMPLEMENTATIONS = {name: _ALL[name] for name in CHOSEN}
