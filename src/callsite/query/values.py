"""Which values can be stored and asked for, the same on every store? Each function gives what is wrong, "" for nothing.

The bounds are those that all stores can keep: 64-bit integers, text without NUL that UTF-8 can spell, keywords that fit
into an index, vectors whose cosine a single-precision store can compute.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from math import fsum, isfinite, sqrt
from operator import mul

from callsite.query.nodes import Scalar

_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
LONGEST_KEYWORD = 8_191  # bytes; a quarter of what Lucene takes as one term
LONGEST_TEXT = 1_000_000  # bytes; a chunk has a thousand, and a request with some of these still passes every server
_SHORTEST_VECTOR, _LONGEST_VECTOR = 1e-15, 1e15  # their squares are still normal numbers in single precision


def name_problem(name: object) -> str:
    """Of the name of a field."""
    if isinstance(name, str) and _NAME.fullmatch(name):
        return ""
    return f"{shown(name)} is no name of a field; write small letters, digits and _, a letter first, at most 63"


def text_problem(text: str) -> str:
    if "\0" in text:
        return f"the text holds a NUL character at position {text.index(chr(0))}; leave it out"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return f"the text holds half a character at position {error.start}, which UTF-8 can't spell; replace it"
    return ""


def keyword_problem(text: str) -> str:
    if problem := text_problem(text):
        return problem
    size = len(text.encode("utf-8"))
    return "" if size <= LONGEST_KEYWORD else f"the keyword has {size:,} bytes; at most {LONGEST_KEYWORD:,} can be kept"


def kept_text_problem(text: str) -> str:
    """Of a text that is kept and not compared."""
    if problem := text_problem(text):
        return problem
    size = len(text.encode("utf-8"))
    return "" if size <= LONGEST_TEXT else f"the text has {size:,} bytes; at most {LONGEST_TEXT:,} can be kept"


def integer_problem(number: int) -> str:
    return "" if _SMALLEST <= number <= _LARGEST else f"{shown(number)} does not fit into 64 bits"


def vector_problem(vector: Iterable[float]) -> str:
    """Of a vector of any number of dimensions."""
    numbers = tuple(vector)
    if not numbers:
        return "the vector is empty"
    if not all(map(isfinite, numbers)):
        n, number = next((n, number) for n, number in enumerate(numbers) if not isfinite(number))
        return f"the vector has {number} at position {n}; all its numbers have to be finite"
    if not _SHORTEST_VECTOR <= length(numbers) <= _LONGEST_VECTOR:
        return f"the vector's length is {length(numbers):.3g}, so it has no direction that all stores can compute"
    return ""


def length(vector: Sequence[float]) -> float:
    """The Euclidean length of finite numbers; infinite when it is too long for a float."""
    try:
        return sqrt(fsum(map(mul, vector, vector)))
    except OverflowError:
        return float("inf")


def scalar_problem(value: object) -> str:
    """Of a value that a filter compares with, whatever the field."""
    if value is None:
        return "None is no value; ask with missing(field)"
    if isinstance(value, bool):
        return ""
    if isinstance(value, int):
        return integer_problem(value)
    if isinstance(value, str):
        return keyword_problem(value)
    if isinstance(value, datetime):
        return "" if _is_aware(value) else f"{value} has no time zone; give one, as in datetime.now(UTC)"
    return f"{shown(value)} is a {type(value).__name__}; integers, texts, booleans and times can be filtered by"


def plain(value: Scalar) -> Scalar:
    """The value as it is compared: without subclasses, times in UTC and whole milliseconds."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    return utc(value) if isinstance(value, datetime) else str.__str__(value)


def utc(moment: datetime) -> datetime:
    """The time in UTC, cut to the millisecond: the finest that all stores keep."""
    there = moment.astimezone(UTC)
    return datetime(
        there.year, there.month, there.day, there.hour, there.minute, there.second,
        there.microsecond // 1000 * 1000, tzinfo=UTC,
    )  # fmt: skip


def shown(value: object) -> str:
    """A value in a message: short, and on one line."""
    try:
        text = ascii(value) if isinstance(value, bytes) else repr(value)
    except Exception:  # noqa: BLE001 - a foreign __repr__ may raise anything, and so does a number of 5,000 digits
        text = f"a {type(value).__name__}"
    text = "".join(letter if letter.isprintable() else "�" for letter in text)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _is_aware(moment: datetime) -> bool:
    try:
        return moment.utcoffset() is not None and moment.astimezone(UTC) is not None
    except (OverflowError, ValueError):
        return False
