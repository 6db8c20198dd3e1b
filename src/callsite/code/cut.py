"""Where is a run of rows cut that is too long for a piece? Knows sizes and how good a border is, no languages.

A border is chosen by what stands at it (its level, a blank line, a checksum of its text), not by how many bytes came
before, so that two versions of a text find the same borders again soon after the place where they differ.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from zlib import crc32

from .source import Source

TARGET_SIZE = 1000
MAX_SIZE = 1600
MIN_SIZE = 500  #: of a piece that is cut off; half the target, so that the average lies near it
TAIL_SIZE = 250  #: what remains is not made smaller than this

#: The level of a row at which no statement starts.
NO_BORDER = 100


def cut_rows(source: Source, first: int, end: int, level: Callable[[int], int]) -> list[tuple[int, int]]:
    """Spans of rows that follow each other, each at most MAX_SIZE long unless a single row is longer."""
    spans = []
    while source.size(first, end) > MAX_SIZE and end - first > 1:
        border = _best_border(source, first, end, level)
        spans.append((first, border))
        first = border
    spans.append((first, end))
    return spans


def indentation(source: Source, row: int) -> int:
    """The level of a row in a text without a syntax tree: its indentation; closing brackets start nothing."""
    line = source.line(row)
    bare = line.lstrip()
    if not bare or bare[:1] in b")]}" or bare.startswith((b"end", b"else", b"fi", b"done")):
        return NO_BORDER
    return min(len(line) - len(bare), NO_BORDER - 1)


def _best_border(source: Source, first: int, end: int, level: Callable[[int], int]) -> int:
    starts = source.starts
    low = bisect_left(starts, starts[first] + MIN_SIZE, first + 1, end)
    high = bisect_right(starts, starts[first] + MAX_SIZE, first + 1, end)
    high = min(high, bisect_right(starts, starts[end] - TAIL_SIZE, first + 1, end))
    if low >= high:
        return max(min(low, end - 1) if source.size(first, min(low, end - 1)) <= MAX_SIZE else low - 1, first + 1)

    rows = [row for row in range(low, high) if not source.is_blank(row)]
    levels = [level(row) for row in rows]
    outermost = min(levels, default=0)
    best = [row for row, found in zip(rows, levels, strict=True) if found == outermost]
    return min(best, key=lambda row: (not source.is_blank(row - 1), crc32(source.line(row))), default=high - 1)
