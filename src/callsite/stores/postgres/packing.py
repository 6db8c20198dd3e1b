"""How are rows written for a binary COPY? Values that were checked before in; bytes that PostgreSQL reads out."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from struct import pack, unpack_from
from sys import byteorder
from typing import Any

from callsite.stores.postgres.layout import Column

HEADER = b"PGCOPY\n\xff\r\n\0" + pack(">ii", 0, 0)
TRAILER = pack(">h", -1)
_NOTHING = pack(">i", -1)
_SIZES = tuple(n.to_bytes(4, "big") for n in range(1_024))
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_TEXT, _BIGINT = 25, 20  # numbers of types, the same on every server
_BLOCK = 256 * 1024


def blocks(columns: Sequence[Column], rows: Iterable[Sequence[object]]) -> list[bytes]:
    """All rows as COPY takes them; values in the order of the columns."""
    packers = [_PACKERS[column.kind] for column in columns]
    start = pack(">h", len(packers))
    found, block = [], bytearray(HEADER)
    for row in rows:
        block += start
        for packer, value in zip(packers, row, strict=True):
            block += _NOTHING if value is None else packer(value)
        if len(block) > _BLOCK:
            found.append(bytes(block))
            block.clear()
    return [*found, bytes(block) + TRAILER]


def vector_of(packed: bytes) -> tuple[float, ...]:
    """The numbers of a vector that the server sent."""
    numbers = array("f", packed[4 : 4 + 4 * unpack_from(">H", packed)[0]])
    if byteorder == "little":
        numbers.byteswap()
    return tuple(numbers)


def _sized(packed: bytes) -> bytes:
    size = len(packed)
    return (_SIZES[size] if size < 1_024 else size.to_bytes(4, "big")) + packed


def _text(value: str) -> bytes:
    return _sized(value.encode())


def _vector(numbers: tuple[float, ...]) -> bytes:
    packed = array("f", numbers)
    if byteorder == "little":
        packed.byteswap()
    return pack(">iHH", 4 + 4 * len(numbers), len(numbers), 0) + packed.tobytes()


def _texts(values: Sequence[str]) -> bytes:
    elements = b"".join([_sized(value.encode()) for value in values])
    return pack(">iiiIii", 20 + len(elements), 1, 0, _TEXT, len(values), 1) + elements


def _integers(values: Sequence[int]) -> bytes:
    elements = b"".join([pack(">iq", 8, value) for value in values])
    return pack(">iiiIii", 20 + len(elements), 1, 0, _BIGINT, len(values), 1) + elements


_PACKERS: dict[str, Callable[[Any], bytes]] = {
    "integer": lambda value: pack(">iq", 8, value),
    "small": lambda value: pack(">ii", 4, value),
    "boolean": lambda value: pack(">i?", 1, value),
    "timestamp": lambda value: pack(">iq", 8, (value - _EPOCH) // _MICROSECOND),
    "keyword": _text,
    "text": _text,
    "integers": _integers,
    "keywords": _texts,
    "vector": _vector,
}
