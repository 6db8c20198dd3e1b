"""Which store keeps chunks in OpenSearch? Its client and its own words; the rest is in `stores/lucene/`."""

from __future__ import annotations

from callsite.stores.opensearch.store import OpenSearchStore

__all__ = ["OpenSearchStore"]
