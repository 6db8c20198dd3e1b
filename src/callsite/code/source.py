"""What do a file's bytes say, and where does each line start? Knows encodings and rows, nothing of languages.

Rows count from 0 here and a span of rows excludes its end; a row ends at its line feed, so it keeps a
carriage return.
"""

from __future__ import annotations

import codecs
from itertools import accumulate

from callsite.values import dataclass

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_HEAD = 4096

#: A file whose bytes are UTF-8 but for this share is damaged UTF-8, not another encoding.
_DAMAGED_SHARE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """A file as text: `encoding` names what it was read as, `problems` what could not be read."""

    text: str
    encoding: str
    problems: tuple[str, ...] = ()


class Source:
    """The text as UTF-8 with the start of every row; `size` and `line` are what everybody asks."""

    __slots__ = ("data", "n_rows", "starts")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.starts = row_starts(data)
        self.n_rows = len(self.starts) - 1

    def size(self, first: int, end: int) -> int:
        """Bytes of the rows from `first` up to `end`."""
        return self.starts[end] - self.starts[first]

    def line(self, row: int) -> bytes:
        """One row with its line feed."""
        return self.data[self.starts[row] : self.starts[row + 1]]

    def is_blank(self, row: int) -> bool:
        """Whether the row holds nothing but white space."""
        return not self.line(row).strip()


def decode(data: bytes) -> Decoded:
    """The text of `data`, whatever it is; never fails."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _decode_marked(data[len(mark) :], encoding)
    guessed = looks_like_utf16(data) if b"\0" in data[:_HEAD] else ""
    if guessed:
        return _decode_marked(data, guessed)
    try:
        return Decoded(text=data.decode("utf-8"), encoding="utf-8")
    except UnicodeDecodeError:
        return _decode_unmarked(data)


def row_starts(data: bytes, newline: bytes = b"\n") -> list[int]:
    """The offset of each row and the length of the whole; [0] when there is nothing."""
    width = len(newline)
    lengths = [len(line) + width for line in _split(data, newline)]
    lengths[-1] -= width
    if not lengths[-1]:
        lengths.pop()
    return [0, *accumulate(lengths)]


def original_starts(data: bytes, encoding: str) -> list[int]:
    """The offset of each row in the bytes as they lie in the file, byte order mark included in the first row."""
    if encoding in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        return row_starts(data, "\n".encode(encoding))
    return row_starts(data)


def looks_like_utf16(data: bytes) -> str:
    """`utf-16-le` or `utf-16-be` when every other byte of the beginning is almost always zero, else ""."""
    head = data[:_HEAD]
    if len(head) < 8:
        return ""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if odd > 0.7 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.7 * half and odd < 0.05 * half:
        return "utf-16-be"
    return ""


def _split(data: bytes, newline: bytes) -> list[bytes]:
    if len(newline) == 1:
        return data.split(newline)
    lines, start, at = [], 0, data.find(newline)
    while at >= 0:
        if at % len(newline):  # two halves of neighbouring characters
            at = data.find(newline, at + 1)
            continue
        lines.append(data[start:at])
        start = at + len(newline)
        at = data.find(newline, start)
    return [*lines, data[start:]]


def _decode_marked(body: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(text=body.decode(encoding), encoding=encoding)
    except UnicodeDecodeError as error:
        text = body.decode(encoding, errors="replace")
        return Decoded(text=text, encoding=encoding, problems=(f"byte {error.start} is not {encoding}",))


def _decode_unmarked(data: bytes) -> Decoded:
    text = data.decode("utf-8", errors="replace")
    n_bad = text.count("\ufffd")
    if n_bad <= _DAMAGED_SHARE * len(text) and len(data) - len(text) > 2 * n_bad:
        return Decoded(text=text, encoding="utf-8", problems=(f"{n_bad} bytes are not UTF-8",))
    try:
        return Decoded(text=data.decode("cp1252"), encoding="cp1252")
    except UnicodeDecodeError:
        return Decoded(text=data.decode("latin-1"), encoding="latin-1")
