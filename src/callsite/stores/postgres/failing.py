"""What does an error of the server or of its driver mean for the caller? Mapped here and nowhere else.

No message says anything of the connection's options: host, user and password are not ours to show.
"""

from __future__ import annotations

import psycopg

from callsite.errors import CollectionError, StoreError, StoreRefused, StoreUnreachable

#: Errors that go away when the same transaction is run once more: deadlock, serialization.
_TO_REPEAT = frozenset({"40P01", "40001"})
#: A table or column that was there when the definition was read: somebody has changed or dropped the collection.
_CHANGED_MEANWHILE = frozenset({"42P01", "42703", "3F000"})
#: The server goes down, comes up, or ends the connection.
_GOING = frozenset({"57P01", "57P02", "57P03", "57P05"})
#: Of one row: a value that does not fit, a constraint, a limit of the server.
_OF_A_ROW = ("22", "23", "54")

#: SQLSTATE, or its first two letters → the error and what is to be said.
_MEANINGS: dict[str, tuple[type[StoreError], str]] = {
    "57014": (StoreUnreachable, "it took longer than the timeout; try again, or give the store a longer one"),
    "55P03": (StoreUnreachable, "somebody else holds a lock on it; try again"),
    "25006": (StoreRefused, "the server is read-only; connect to the primary"),
    "42501": (StoreRefused, "the user has no right to do this; docs/how-to/postgres.md says which are needed"),
    "0A000": (StoreRefused, "the server can't do this; it needs PostgreSQL 14 and pgvector 0.8, or newer ones"),
    "28": (StoreRefused, "the server does not accept user or password; look at the connection's options"),
    "3D": (StoreRefused, "there is no such database; look at the connection's options"),
    "53": (StoreUnreachable, "the server has no room, memory or connections left"),
    "57": (StoreUnreachable, "the server is going down or coming up; try again"),
    "58": (StoreUnreachable, "the server's machine has a fault"),
    "08": (StoreUnreachable, "the connection was lost; try again"),
    "40": (StoreUnreachable, "others write the same documents all the time; try again"),
}
#: What a server says in front of all others when a connection is refused; no SQLSTATE comes with it.
_REFUSALS = ("authentication failed", "no password supplied", "pg_hba.conf", "permission denied", "does not exist")


def is_lost(error: psycopg.Error) -> bool:
    """Whether the connection is gone, so that another one may do."""
    state = error.sqlstate or ""
    return state in _GOING or state.startswith("08") or (not state and isinstance(error, psycopg.OperationalError))


def is_to_repeat(error: psycopg.Error) -> bool:
    """Whether the same transaction may succeed when it is run again at once."""
    return is_lost(error) or (error.sqlstate or "") in _TO_REPEAT | _CHANGED_MEANWHILE


def is_of_a_row(error: psycopg.Error) -> bool:
    """Whether the error is about a value that was to be written, and not about the server."""
    return (error.sqlstate or "").startswith(_OF_A_ROW)


def mapped(error: psycopg.Error, doing: str) -> StoreError:
    """The error that callers know."""
    state = error.sqlstate or ""
    if state in _CHANGED_MEANWHILE:
        return CollectionError(
            f"PostgreSQL, {doing}: there is no collection of that kind any more; somebody dropped it"
        )
    kind, meaning = _MEANINGS.get(state) or _MEANINGS.get(state[:2]) or _unknown(error)
    return kind(f"PostgreSQL, {doing}: {meaning}" + (f" (SQLSTATE {state})" if state else ""))


def not_connected(error: psycopg.Error) -> StoreError:
    """Why no connection could be opened, in words of our own: the driver's name hosts, users and options."""
    if isinstance(error, psycopg.ProgrammingError):
        return StoreRefused("PostgreSQL: the connection's options can't be read; give a URI or name=value pairs")
    if any(one in str(error) for one in _REFUSALS):
        return StoreRefused(
            "PostgreSQL: the server answers and refuses the connection; look at user, password, database and its rules"
        )
    return StoreUnreachable("PostgreSQL: no server answers; look at host and port, and whether it runs")


def row_problem(error: psycopg.Error) -> str:
    """What the server says of a row: one line, without the values."""
    said = error.diag.message_primary or "no reason was given"
    return f"the server refuses it: {said} (SQLSTATE {error.sqlstate})"


def _unknown(error: psycopg.Error) -> tuple[type[StoreError], str]:
    if is_lost(error):
        return StoreUnreachable, "the connection was lost; try again"
    return StoreError, error.diag.message_primary or type(error).__name__
