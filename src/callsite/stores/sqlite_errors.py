"""What does an error of SQLite mean for whoever asked? The same for every file that is kept for programs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from callsite.errors import StoreError, StoreRefused, StoreUnreachable


@contextmanager
def mapped(noun: str, path: Path, *, remedy: str) -> Iterator[None]:
    """Errors as ours: of the `noun` that is kept at the path; `remedy` helps when it is damaged."""
    try:
        yield
    except OSError as error:
        raise StoreRefused(f"no {noun} can be kept in {path.parent}: {error}; choose another folder") from error
    except sqlite3.Error as error:
        raise _translated(error, f"the {noun} {path}", remedy) from error


def _translated(error: sqlite3.Error, what: str, remedy: str) -> Exception:
    """The error as ours; a mistake of ours as it is."""
    said = str(error)
    if "closed" in said:
        return StoreError(f"{what} was closed; open it again")
    if isinstance(error, sqlite3.ProgrammingError):
        return error
    if "locked" in said or "busy" in said:
        return StoreUnreachable(f"another process is writing {what}; try again")
    if any(sign in said for sign in ("readonly", "full", "unable to open", "disk I/O")):
        return StoreRefused(f"{what} can't be used: {said}; free some room, or look at its permissions")
    return StoreError(f"{what} is damaged: {said}; {remedy}")
