"""Everything that callsite raises on purpose.

    CallsiteError                what, where, what to do: one line, fit to be shown to a person
    ├── SourceError              the path is no source of code: missing, unreadable, without the asked commit
    │   └── GitError             the git program is missing, too old, or refused
    ├── IndexUnusable            the index can't be used: no room, no permission, written by a newer version
    │   └── IndexBusy            another process writes and the caller chose not to wait
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


class QueryError(CallsiteError):
    """A filter, budget or count that cannot be meant."""


class SettingsError(CallsiteError):
    """A setting that is unknown or of the wrong type."""
