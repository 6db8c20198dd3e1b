"""What do Elasticsearch and OpenSearch share? A whole store over either; how, is told in docs/why/search-servers.md."""

from __future__ import annotations

from callsite.stores.lucene.dialect import Dialect
from callsite.stores.lucene.server import Wire
from callsite.stores.lucene.store import LuceneStore, Options

__all__ = ["Dialect", "LuceneStore", "Options", "Wire"]
