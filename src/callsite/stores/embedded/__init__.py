"""Which store needs no server? SQLite keeps documents, tantivy finds words, exact arithmetic finds near vectors."""

from __future__ import annotations

from callsite.stores.embedded.store import EmbeddedStore

__all__ = ["EmbeddedStore"]
