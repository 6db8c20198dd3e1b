"""In which words is the table spoken to? The same for SQLite and PostgreSQL, but for what `Words` says.

An entry has a time from which it may be taken (`due`); without one it is dead. While it is leased it has the token of
the take, and is due when the lease ends.
"""

from __future__ import annotations

from callsite.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What differs."""

    entries: str  #: the table
    value: str  #: one value
    among: str  #: one of a list of numbers
    lock: str  #: wait for others who change the rows, in one order
    skip: str  #: leave out rows that others change

    def put_in(self, statement: str) -> str:
        """The statement, to be sent."""
        return (
            statement.replace("{entries}", self.entries)
            .replace("{among}", self.among)
            .replace("{lock}", self.lock)
            .replace("{skip}", self.skip)
            .replace("?", self.value)
        )


#: What follows an INSERT of reference, routing, slot, shard, due and tracked. Only what is leased or dead changes.
TRACKED_AGAIN = """
ON CONFLICT (reference) DO UPDATE SET
    version = e.version + 1,
    due = coalesce(e.due, excluded.due),
    tracked = CASE WHEN e.due IS NULL THEN excluded.tracked ELSE e.tracked END,
    tries = CASE WHEN e.due IS NULL THEN 0 ELSE e.tries END,
    lost = CASE WHEN e.due IS NULL THEN 0 ELSE e.lost END,
    error = CASE WHEN e.due IS NULL THEN '' ELSE e.error END,
    message = CASE WHEN e.due IS NULL THEN '' ELSE e.message END,
    died = NULL
WHERE e.token IS NOT NULL OR e.due IS NULL
"""

DUE = """
SELECT number, reference, version, tries, lost + CASE WHEN token IS NULL THEN 0 ELSE 1 END FROM {entries}
WHERE due <= ? ORDER BY due, number LIMIT ? {skip}
"""
DUE_IN_SHARD = """
SELECT number, reference, version, tries, lost + CASE WHEN token IS NULL THEN 0 ELSE 1 END FROM {entries}
WHERE due <= ? AND shard = ? ORDER BY due, number LIMIT ? {skip}
"""
LEASE = """
UPDATE {entries} SET lost = lost + CASE WHEN token IS NULL THEN 0 ELSE 1 END, token = ?, due = ? WHERE number {among}
"""
HELD = "SELECT number, version FROM {entries} WHERE token = ? AND number {among} {lock}"
EXTEND = "UPDATE {entries} SET due = ? WHERE number {among}"
DONE = "DELETE FROM {entries} WHERE number {among}"
AGAIN = """
UPDATE {entries} SET due = ?, tracked = ?, token = NULL, tries = 0, lost = 0, error = '', message = ''
WHERE number {among}
"""
WAIT = "UPDATE {entries} SET due = ?, tries = ?, error = ?, message = ?, token = NULL, lost = 0 WHERE number = ?"
DIE = "UPDATE {entries} SET died = ?, tries = ?, error = ?, message = ?, token = NULL, due = NULL WHERE number = ?"

_CHOSEN = "due IS NULL AND routing = coalesce(?, routing) AND error = coalesce(?, error) AND number > ?"
DEAD = f"""
SELECT number, reference, error, message, tries, died FROM {{entries}} WHERE {_CHOSEN} ORDER BY number LIMIT ?
"""
DEAD_STILL = "SELECT number FROM {entries} WHERE due IS NULL AND number {among} {lock}"
REPLAY = """
UPDATE {entries} SET due = ?, tracked = ?, died = NULL, tries = 0, lost = 0, error = '', message = ''
WHERE number {among}
"""

STATISTICS = """
SELECT count(due), count(CASE WHEN due <= ? THEN 1 END), count(CASE WHEN due > ? AND token IS NOT NULL THEN 1 END),
    count(*) - count(due), min(CASE WHEN due IS NOT NULL THEN tracked END) FROM {entries}
"""
OF_ROUTING = " WHERE routing = ?"
