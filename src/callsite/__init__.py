"""Callsite finds the code that matters for a question. `callsite.open(path).search("…")` gives typed, reasoned hits."""

from __future__ import annotations

from callsite.engine import Engine, chunks
from callsite.engine import open_engine as open
from callsite.errors import (
    CallsiteError,
    GitError,
    IndexBusy,
    IndexUnusable,
    QueryError,
    SettingsError,
    SourceError,
)
from callsite.types import Answer, Chunk, Explanation, Freshness, Hit, Reason, Skipped

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "CallsiteError",
    "Chunk",
    "Engine",
    "Explanation",
    "Freshness",
    "GitError",
    "Hit",
    "IndexBusy",
    "IndexUnusable",
    "QueryError",
    "Reason",
    "SettingsError",
    "Skipped",
    "SourceError",
    "chunks",
    "open",
]
