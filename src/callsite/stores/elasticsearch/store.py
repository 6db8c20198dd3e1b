"""Who keeps collections in Elasticsearch? The shared store, with this server's client and words."""

from __future__ import annotations

from callsite.stores.elasticsearch.client import ElasticsearchWire
from callsite.stores.elasticsearch.words import ElasticsearchWords
from callsite.stores.lucene import LuceneStore, Options


class ElasticsearchStore(LuceneStore):
    """Keeps each collection in an index of Elasticsearch 8 or 9; a Store."""

    def __init__(self, hosts: str | list[str], *, options: Options | None = None, **client: object) -> None:
        """`client`: what the official client takes: `api_key`, `basic_auth`, `ca_certs`, `request_timeout`, …"""
        super().__init__(ElasticsearchWire(hosts, client), ElasticsearchWords(), options or Options())
