"""What is the syntax tree of a text, if it can be had in time? Loads grammars on demand; knows nothing of chunks."""

from __future__ import annotations

import sys
import time
from functools import cache
from importlib import import_module

from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

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
    seconds = seconds_for(len(data))
    wall_end, processor_end = time.monotonic() + seconds, time.thread_time() + seconds

    def read(offset: int, _point: Point) -> bytes:
        return data[offset : offset + _SLICE]

    def stop(_offset: int, _has_error: bool) -> bool:
        return time.monotonic() > wall_end and time.thread_time() > processor_end  # the first is read much faster

    try:
        parsed: Tree = _compiled("tree_sitter").Parser(language).parse(read, progress_callback=stop)
        return parsed
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
        language: Language = _compiled("tree_sitter").Language(getattr(_compiled(module), function)())
    except ImportError:
        return None
    return language


@cache
def _compiled(package: str) -> Any:
    """The compiled module of a package. What the package wraps around it loads 12 ms of modules that nobody needs."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    name = f"{package}._binding"
    if name in sys.modules:
        return sys.modules[name]
    outer = PathFinder.find_spec(package)
    spec = PathFinder.find_spec(name, outer.submodule_search_locations) if outer is not None else None
    if spec is None or spec.loader is None:
        return import_module(package)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[name] = module
    return module
