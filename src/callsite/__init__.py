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
from callsite.types import (
    Answer,
    Chunk,
    Explanation,
    Freshness,
    Hit,
    KnownRecording,
    Landing,
    Reason,
    RecordingUse,
    Skipped,
    Understood,
)
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
    "KnownRecording",
    "Landing",
    "QueryError",
    "Reason",
    "RecordingUse",
    "SettingsError",
    "Skipped",
    "SourceError",
    "Understood",
    "chunks",
    "open",
]

_LATE = ("Engine", "chunks")  #: imported when they are asked for, and by `open` while git is at work already


def __getattr__(name: str) -> object:
    if name in _LATE:
        from callsite import engine

        return getattr(engine, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
