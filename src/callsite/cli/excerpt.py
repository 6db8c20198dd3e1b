"""Which lines of a hit are worth a look when not all of them are shown?"""

from __future__ import annotations

from collections.abc import Sequence

MOST_LINES = 12
_LATE_GAP = 1  # a gap of one line would take a line itself


def excerpt(words: Sequence[frozenset[str]], *, head: int) -> list[int]:
    """The lines to show, from 0, in order: `head` (the definition), and those around the best matching ones.

    words: the matched words of each line. All lines are shown when they are few.
    """
    if len(words) <= MOST_LINES + _LATE_GAP:
        return list(range(len(words)))
    start = _best_window(words, MOST_LINES - 1)
    while start < head and start + MOST_LINES < len(words) and not words[start]:
        start += 1  # what stands above the definition and matches nothing tells less than what stands below
    if start - _LATE_GAP <= head < start:
        start = head
    if start <= head < start + MOST_LINES:
        return list(range(start, min(start + MOST_LINES, len(words))))
    return sorted({head, *range(start, start + MOST_LINES - 1)})


def _best_window(words: Sequence[frozenset[str]], size: int) -> int:
    """The start of the window with the most different words, then the most lines that hold one; the first of equals."""

    def worth(start: int) -> tuple[int, int, int]:
        window = words[start : start + size]
        return len(frozenset().union(*window)), sum(map(bool, window)), -start

    return max(range(len(words) - size + 1), key=worth)
