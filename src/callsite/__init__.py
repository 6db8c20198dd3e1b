"""Callsite finds the code that matters for a question. `callsite.open(path).search("…")` gives typed, reasoned hits."""

from __future__ import annotations

from callsite.errors import (
    CallsiteError,
    GitError,
    IndexBusy,
    IndexUnusable,
    QueryError,
    SettingsError,
    SourceError,
)
from callsite.opening import open
from callsite.types import Answer, Chunk, Explanation, Freshness, Hit, Reason, Skipped
from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from callsite.engine import Engine, chunks

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

_LATE = ("Engine", "chunks")  #: imported when they are asked for, and by `open` while git is at work already


def __getattr__(name: str) -> object:
    if name in _LATE:
        from callsite import engine

        return getattr(engine, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
