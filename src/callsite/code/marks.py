"""How do marked lines become blocks? Knows rows and comments, nothing of languages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from callsite.types import Symbol
from callsite.values import dataclass

from .blocks import Block
from .source import Source

#: A line that comments on the one below it, in any language that is read by pattern.
_COMMENT = re.compile(rb"\s*(?:#(?!include|define|if|endif)|//|/\*|\*|--|;|%|@|\(\*|\"\"\"|REM\b|'|\[\w+\])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A line at which something begins."""

    row: int
    name: str
    type: str  #: of the piece that begins here
    kind: str  #: of the symbol
    depth: int = 0
    opens: bool = True  #: False: only a symbol inside the block that is open
    takes_comments: bool = False


def blocks_between(marks: Sequence[Mark], source: Source, *, short: int, opening: str) -> list[Block]:
    """A block from each mark to the next and one for what precedes them; those below `short` bytes are loose."""
    blocks: list[Block] = []
    openers = [at for at, mark in enumerate(marks) if mark.opens]
    firsts = [_first_row(marks[at], source) for at in openers]
    if firsts and firsts[0] > 0:
        blocks.append(Block(type=opening, first=0, end=firsts[0], row=0, loose=True))
    for place, at in enumerate(openers):
        mark = marks[at]
        next_at = openers[place + 1] if place + 1 < len(openers) else len(marks)
        end = firsts[place + 1] if place + 1 < len(firsts) else source.n_rows
        blocks.append(
            Block(
                type=mark.type,
                first=firsts[place],
                end=end,
                row=mark.row,
                name=mark.name,
                symbols=tuple(_symbol(inner) for inner in marks[at:next_at] if inner.name),
                loose=source.size(firsts[place], end) < short,
            )
        )
    return blocks


def _first_row(mark: Mark, source: Source) -> int:
    row = mark.row
    while mark.takes_comments and row > 0 and _COMMENT.match(source.line(row - 1)):
        row -= 1
    return row


def _symbol(mark: Mark) -> Symbol:
    return Symbol(name=mark.name, kind=mark.kind, line=mark.row + 1, depth=mark.depth)
