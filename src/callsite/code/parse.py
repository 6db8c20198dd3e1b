"""What is the syntax tree of a text, if it can be had in time? Loads grammars on demand; knows nothing of chunks."""

from __future__ import annotations

import time
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Point, Tree

#: Processor time that a file may take, at least and for each megabyte. Ordinary code takes a quarter of a second for a
#: megabyte; ambiguous grammars on hostile input never end and take half a gigabyte of memory for each second.
LEAST_SECONDS = 0.5
SECONDS_PER_MEGABYTE = 2.0
MOST_SECONDS = 2.0

#: Parsers read the text in slices of this size, so that progress is reported at all.
_SLICE = 1 << 16


def parse(data: bytes, *, module: str, function: str) -> Tree | None:
    """The tree of UTF-8 text, or None when the budget ran out or the grammar is missing."""
    language = _language(module, function)
    if language is None:
        return None
    from tree_sitter import Parser

    seconds = seconds_for(len(data))
    wall_end, processor_end = time.monotonic() + seconds, time.thread_time() + seconds

    def read(offset: int, _point: Point) -> bytes:
        return data[offset : offset + _SLICE]

    def stop(_offset: int, _has_error: bool) -> bool:
        return time.monotonic() > wall_end and time.thread_time() > processor_end  # the first is read much faster

    try:
        return Parser(language).parse(read, progress_callback=stop)
    except ValueError:
        return None


def seconds_for(size: int) -> float:
    """The processor time that a text of so many bytes is worth."""
    return min(LEAST_SECONDS + SECONDS_PER_MEGABYTE * size / 1e6, MOST_SECONDS)


def first_error_row(root: Node) -> int:
    """The row of the first syntax error, -1 without one."""
    if not root.has_error:
        return -1
    node = root
    for _ in range(200):
        if node.is_error or node.is_missing:
            break
        inner = next((child for child in node.children if child.has_error or child.is_missing), None)
        if inner is None:
            break
        node = inner
    return node.start_point[0]


@cache
def _language(module: str, function: str) -> Language | None:
    try:
        grammar = import_module(module)
    except ImportError:
        return None
    from tree_sitter import Language

    return Language(getattr(grammar, function)())
