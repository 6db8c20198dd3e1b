"""How is an entry stored? As compact JSON behind a version and a checksum; other bytes are no entry, never an error.

The standard parser is used although another is faster: together with its import it takes less of a search. The two
longest fields are texts there, which it reads four times as fast as lists: places by lines, terms by their number.
"""

from __future__ import annotations

import json
from binascii import crc32

from callsite.evidence.appmap.entry import Entry
from callsite.evidence.appmap.recording import Facts, Query, Raised, Request
from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

#: 2: without depths and distances to exceptions. To be raised whenever fields, their meaning or the making of terms
#: change: older bytes are made anew.
VERSION = 2

_VALUES: dict[str, Any] = {"facts": Facts}
_LISTS: dict[str, Any] = {"exceptions": Raised, "requests": Request, "queries": Query}


def entry_to_bytes(entry: Entry) -> bytes:
    """The entry, to be stored; `entry_from_bytes` gives back an equal one."""
    row = dict(zip(Entry.__slots__, _row(entry), strict=True))
    row["places"], row["terms"] = "\n".join(entry.places), _terms_by_number(entry.terms)
    text = json.dumps(list(row.values()), separators=(",", ":")).encode()
    return _head(text) + text


def entry_from_bytes(data: bytes) -> Entry | None:
    """The entry that was stored; None when the bytes are damaged or of another version."""
    end = data.find(b"\n") + 1
    text = data[end:]
    if not end or data[:end] != _head(text):
        return None
    named = dict(zip(Entry.__slots__, json.loads(text), strict=True))
    for name, kind in _VALUES.items():
        named[name] = _value(kind, named[name])
    for name, kind in _LISTS.items():
        named[name] = tuple(_value(kind, row) for row in named[name])
    named["places"] = named["places"].split("\n") if named["places"] else ()
    named["terms"] = {term: number for number, terms in named["terms"] for term in terms.split()}
    return Entry(**{name: _frozen(field) for name, field in named.items()})


def _terms_by_number(terms: dict[str, int]) -> list[tuple[int, str]]:
    grouped: dict[int, list[str]] = {}
    for term, number in terms.items():
        grouped.setdefault(number, []).append(term)
    return [(number, " ".join(said)) for number, said in grouped.items()]


def _head(text: bytes) -> bytes:
    """With the right checksum the rest is what was written, so that its types need no check."""
    return b"%d %08x\n" % (VERSION, crc32(text))


def _row(value: Any) -> Any:
    """A value as the list of its fields."""
    if hasattr(value, "__slots__"):
        return [_row(getattr(value, name)) for name in value.__slots__]
    if isinstance(value, tuple) and value and hasattr(value[0], "__slots__"):
        return [_row(one) for one in value]
    return value


def _value(kind: Any, row: list[Any]) -> Any:
    return kind(**dict(zip(kind.__slots__, map(_frozen, row), strict=True)))


def _frozen(field: Any) -> Any:
    """Lists as the tuples that they were."""
    return tuple(field) if isinstance(field, list) else field
