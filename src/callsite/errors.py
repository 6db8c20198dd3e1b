"""Everything that callsite raises on purpose.

    CallsiteError                what, where, what to do: one line, fit to be shown to a person
    ├── SourceError              the path is no source of code: missing, unreadable, without the asked commit
    │   └── GitError             the git program is missing, too old, or refused
    ├── IndexUnusable            the index can't be used: no room, no permission, written by a newer version
    │   └── IndexBusy            another process writes and the caller chose not to wait
    ├── StoreError               a store of chunks did not do what it was asked
    │   ├── StoreUnreachable     it does not answer or is too busy: the same call may succeed later
    │   ├── StoreRefused         it answers and does not: credentials, rights, no room, read-only
    │   └── CollectionError      it is not there, is there otherwise, or is defined so that it can't be meant
    ├── EmbeddingError           vectors could not be made or kept
    │   ├── EmbedderUnreachable  it does not answer, or fails: the same call may succeed later
    │   │   └── EmbedderBusy     it asks to wait
    │   ├── EmbedderRefused      it answers and does not: credentials, model, quota, other dimensions
    │   └── InputRefused         it does not take these texts: too large, or not as it wants them
    ├── QueryError               a filter, budget or count that cannot be meant
    └── SettingsError            a setting that is unknown or of the wrong type

Foreign errors (OSError, sqlite3.Error, tantivy's ValueError) are mapped once, where they appear, and kept as the cause.
"""

from __future__ import annotations


class CallsiteError(Exception):
    """Something that the caller can mend; the message says what, where and how."""


class SourceError(CallsiteError):
    """The path is no source of code."""


class GitError(SourceError):
    """The git program is missing, too old, or refused."""


class IndexUnusable(CallsiteError):
    """The index can't be used."""


class IndexBusy(IndexUnusable):
    """Another process writes to the index and the caller chose not to wait."""


class StoreError(CallsiteError):
    """A store of chunks did not do what it was asked."""


class StoreUnreachable(StoreError):
    """The store does not answer or is too busy; the same call may succeed later."""


class StoreRefused(StoreError):
    """The store answers and does not do it: credentials, rights, no room, read-only."""


class CollectionError(StoreError):
    """A collection is not there, is there otherwise, or is defined so that it can't be meant."""


class EmbeddingError(CallsiteError):
    """Vectors could not be made or kept."""


class EmbedderUnreachable(EmbeddingError):
    """The embedder does not answer, or fails; the same call may succeed later."""

    def __init__(self, message: str, *, may_be_input: bool = False) -> None:
        super().__init__(message)
        self.may_be_input = may_be_input  #: it was reached, so that the texts may be why it failed


class EmbedderBusy(EmbedderUnreachable):
    """The embedder asks to wait."""

    def __init__(self, message: str, *, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait  #: seconds, None when it does not say how long


class EmbedderRefused(EmbeddingError):
    """The embedder answers and does not do it: credentials, model, quota, other dimensions."""


class InputRefused(EmbeddingError):
    """The embedder does not take these texts: too large, or not as it wants them."""

    def __init__(self, message: str, *, is_too_large: bool = False) -> None:
        super().__init__(message)
        self.is_too_large = is_too_large


class QueryError(CallsiteError):
    """A filter, budget or count that cannot be meant."""


class SettingsError(CallsiteError):
    """A setting that is unknown or of the wrong type."""
