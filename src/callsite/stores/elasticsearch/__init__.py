"""Which store keeps chunks in Elasticsearch? Its client and its own words; the rest is in `stores/lucene/`."""

from __future__ import annotations

from callsite.stores.elasticsearch.store import ElasticsearchStore

__all__ = ["ElasticsearchStore"]
