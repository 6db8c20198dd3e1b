"""How is an entry stored? As compact JSON that begins with a version; unreadable bytes are no entry, never an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from callsite.evidence.appmap.entry import Entry

#: 1: the first. To be raised whenever fields, their meaning or the making of terms change: older bytes are made anew.
VERSION = 1


def entry_to_bytes(entry: Entry) -> bytes:
    """The entry, to be stored; `entry_from_bytes` gives back an equal one."""
    row = _row(entry)
    row[_FILE] = entry.file.encode("utf-8", "surrogatepass").decode("latin-1")  # names of files need not be UTF-8
    return msgspec.json.encode((VERSION, row))


def entry_from_bytes(data: bytes) -> Entry | None:
    """The entry that was stored; None when the bytes are damaged or of another version."""
    try:
        version, row = _decoder.decode(data)
        file = row[_FILE].encode("latin-1").decode("utf-8", "surrogatepass")
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None
    return _entry((*row[:_FILE], file, *row[_FILE + 1 :])) if version == VERSION else None


def _row(value: Any) -> Any:
    """A value as the list of its fields."""
    if hasattr(value, "__slots__"):
        return [_row(getattr(value, name)) for name in value.__slots__]
    if isinstance(value, tuple) and value and hasattr(value[0], "__slots__"):
        return [_row(one) for one in value]
    return value


def _row_type(kind: Any) -> Any:
    """What a row of this kind decodes to: tuples of the types of its fields."""
    if hasattr(kind, "__slots__") and hasattr(kind, "__dataclass_fields__"):
        return tuple[tuple(_row_type(field) for field in _types(kind))]  # type: ignore[misc]
    if get_origin(kind) is tuple:
        return tuple[tuple(_row_type(one) if one is not ... else one for one in get_args(kind))]  # type: ignore[misc]
    return kind


def _types(kind: Any) -> list[Any]:
    hints = get_type_hints(kind, localns={"Any": Any})
    return [hints[name] for name in kind.__slots__]


def _maker(kind: Any) -> Any:
    """A function from the row of a kind to its value, None where the row is the value."""
    if hasattr(kind, "__dataclass_fields__"):
        names = kind.__slots__
        makers = [(index, make) for index, field in enumerate(_types(kind)) if (make := _maker(field))]

        def made(row: tuple[Any, ...]) -> Any:
            fields = list(row)
            for index, make in makers:
                fields[index] = make(fields[index])
            return kind(**dict(zip(names, fields, strict=True)))

        return made
    of = get_args(kind)
    if get_origin(kind) is tuple and of[-1] is ... and (make_one := _maker(of[0])):
        return lambda rows: tuple(map(make_one, rows))
    return None


_FILE = Entry.__slots__.index("file")
_decoder = msgspec.json.Decoder(tuple[int, _row_type(Entry)])  # type: ignore[misc]
_entry: Callable[[tuple[Any, ...]], Entry] = _maker(Entry)
