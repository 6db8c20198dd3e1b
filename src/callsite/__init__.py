"""Callsite finds the code that matters for a question. `callsite.open(path).search("…")` gives typed, reasoned hits."""

from __future__ import annotations

from callsite.engine import Engine
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
from callsite.types import Answer, Chunk, Freshness, Hit, Reason, Skipped

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "CallsiteError",
    "Chunk",
    "Engine",
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
    "open",
]
