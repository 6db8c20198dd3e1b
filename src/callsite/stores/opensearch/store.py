"""Who keeps collections in OpenSearch? The shared store, with this server's client and words."""

from __future__ import annotations

from callsite.stores.lucene import LuceneStore, Options
from callsite.stores.opensearch.client import OpenSearchWire
from callsite.stores.opensearch.words import OpenSearchWords


class OpenSearchStore(LuceneStore):
    """Keeps each collection in an index of OpenSearch 2 or 3 with its k-NN plugin; a Store."""

    def __init__(self, hosts: str | list[str], *, options: Options | None = None, **client: object) -> None:
        """`client`: what the official client takes: `http_auth`, `use_ssl`, `ca_certs`, `timeout`, …"""
        super().__init__(OpenSearchWire(hosts, client), OpenSearchWords(), options or Options())
