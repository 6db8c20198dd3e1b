"""Where do chunks go, and what has a run done? Frozen values."""

from __future__ import annotations

from callsite.collections import CHUNKS, SHADOWS, VIEWS
from callsite.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A project in a store, or one overlay of it."""

    project_id: int
    overlay: str = ""  #: "" is the base
    collection: str = CHUNKS
    views: str = VIEWS
    shadows: str = SHADOWS


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A chunk that is new in the store, and has no vector yet."""

    id: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """What a run has done."""

    commit: str  #: that the place shows now; "" for a work tree
    full: str  #: why everything was read, "" when only what changed was
    n_read: int  #: contents
    n_created: int
    n_updated: int  #: chunks whose text was there; where it stands in its file is new
    n_unchanged: int
    n_gone: int
    n_skipped: int  #: files that are not searched
    problems: tuple[str, ...] = ()  #: what could not be kept, and overlays that have to be looked at again
