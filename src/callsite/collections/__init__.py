"""Which collections are there, and how is one defined? Names, kinds and roles of fields; no store."""

from __future__ import annotations

from callsite.collections.chunks import CHUNKS, chunks, extension_of
from callsite.collections.definition import Collection
from callsite.collections.views import SHADOWS, VIEWS, shadows, views

__all__ = ["CHUNKS", "SHADOWS", "VIEWS", "Collection", "chunks", "extension_of", "shadows", "views"]
