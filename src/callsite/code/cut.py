"""Where is a run of rows cut that is too long for a piece? Knows sizes and how good a border is, no languages.

A border is chosen by what stands at it (its level, a blank line, a checksum of its text), not by how many bytes came
before, so that two versions of a text find the same borders again soon after the place where they differ.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from zlib import crc32

from .source import Source

TARGET_SIZE = 1000
MAX_SIZE = 1600
MIN_SIZE = 500  #: of a piece that is cut off; half the target, so that the average lies near it
TAIL_SIZE = 250  #: what remains is not made smaller than this

#: The level of a row at which no statement starts.
NO_BORDER = 100

_STARTS_NOTHING = (b")", b"]", b"}", b"end", b"else", b"fi", b"done")
_FIRST_LETTERS = b")]}efd"  # a look at one letter spares most rows the comparison

#: The level of each row from the first up to the end.
Levels = Callable[[int, int], Sequence[int]]


def cut_rows(source: Source, first: int, end: int, levels: Levels) -> list[tuple[int, int]]:
    """Spans of rows that follow each other, each at most MAX_SIZE long unless a single row is longer."""
    spans = []
    while source.size(first, end) > MAX_SIZE and end - first > 1:
        border = _best_border(source, first, end, levels)
        spans.append((first, border))
        first = border
    spans.append((first, end))
    return spans


def indentation(source: Source, first: int, end: int) -> list[int]:
    """The levels of rows in a text without a syntax tree: their indentation; closing brackets start nothing."""
    levels = []
    for line in source.data[source.starts[first] : source.starts[end]].split(b"\n")[: end - first]:
        bare = line.lstrip()
        if not bare or (bare[0] in _FIRST_LETTERS and bare.startswith(_STARTS_NOTHING)):
            levels.append(NO_BORDER)
        else:
            width = len(line) - len(bare)
            levels.append(width if width < NO_BORDER else NO_BORDER - 1)
    return levels


def _best_border(source: Source, first: int, end: int, levels: Levels) -> int:
    starts = source.starts
    low = bisect_left(starts, starts[first] + MIN_SIZE, first + 1, end)
    high = bisect_right(starts, starts[first] + MAX_SIZE, first + 1, end)
    high = min(high, bisect_right(starts, starts[end] - TAIL_SIZE, first + 1, end))
    if low >= high:
        return max(min(low, end - 1) if source.size(first, min(low, end - 1)) <= MAX_SIZE else low - 1, first + 1)

    found = levels(low, high)
    for level in sorted(set(found)):
        rows = [row for row, other in enumerate(found, low) if other == level and not source.is_blank(row)]
        if rows:
            after_blank = [row for row in rows if source.is_blank(row - 1)]
            return min(after_blank or rows, key=lambda row: crc32(source.line(row)))
    return high - 1
