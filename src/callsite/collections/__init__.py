"""Which collections are there, and how is one defined? Names, kinds and roles of fields; no store."""

from __future__ import annotations

from callsite.collections.chunks import chunks, extension_of
from callsite.collections.definition import Collection
from callsite.collections.views import shadows, views

__all__ = ["Collection", "chunks", "extension_of", "shadows", "views"]
