"""Where are the cells of a notebook, in the raw lines of its JSON? Outputs stay whole: nobody searches for pixels."""

from __future__ import annotations

import re

from callsite.types import Symbol
from callsite.values import TYPE_CHECKING

from .blocks import Block
from .cut import MAX_SIZE
from .outline import rows_of
from .parse import parse
from .source import Source

if TYPE_CHECKING:
    from tree_sitter import Node

_SHORT_CELL = 400
_DEFINITION = re.compile(rb'\s*"(?:async )?(def|class) (\w+)')
_HEADING = re.compile(rb'\s*"#{1,6}\s+([^"\\]{1,80})')


def notebook_blocks(source: Source) -> list[Block]:
    """A block for each cell, one for what surrounds the cells; none when the JSON cannot be read."""
    tree = parse(source.data, module="tree_sitter_json", function="language")
    root = tree.root_node.named_child(0) if tree is not None and tree.root_node.named_child_count else None
    cells = _value(root, b"cells", source) if root is not None else None
    if cells is None or cells.type != "array":
        return []
    blocks: list[Block] = []
    end = 0
    for cell in cells.named_children:
        first, next_end = rows_of(cell)
        if first >= end and first > 0:
            blocks.extend(_cell_blocks(cell, first, next_end, source))
            end = next_end
    rest = Block(type="section", first=end, end=source.n_rows, row=end, name="metadata", loose=True)
    opening = Block(type="section", first=0, end=blocks[0].first, row=0, loose=True) if blocks else None
    return [opening, *blocks, *([rest] if end < source.n_rows else [])] if opening is not None else []


def _cell_blocks(cell: Node, first: int, end: int, source: Source) -> list[Block]:
    outputs = _value(cell, b"outputs", source)
    kind = _value(cell, b"cell_type", source)
    is_code = kind is None or source.data[kind.start_byte : kind.end_byte] == b'"code"'
    whole = _cell_block(first, end, source, is_code=is_code)
    if outputs is None or source.size(first, end) <= MAX_SIZE:
        return [whole]
    start, stop = rows_of(outputs)
    if start <= first or source.size(start, stop) <= MAX_SIZE // 2:
        return [whole]
    result = Block(type="lines", first=start, end=stop, row=start, whole=True)
    parts = [_cell_block(first, start, source, is_code=is_code), result]
    return [*parts, _cell_block(stop, end, source, is_code=is_code)] if stop < end else parts


def _cell_block(first: int, end: int, source: Source, *, is_code: bool) -> Block:
    symbols = tuple(_symbols(first, end, source, is_code=is_code))
    return Block(
        type="section",
        first=first,
        end=end,
        row=first,
        name=symbols[0].name if symbols else "",
        symbols=symbols,
        loose=source.size(first, end) < _SHORT_CELL,
    )


def _symbols(first: int, end: int, source: Source, *, is_code: bool) -> list[Symbol]:
    found = []
    for row in range(first, end):
        line = source.line(row)
        definition, heading = _DEFINITION.match(line), _HEADING.match(line)
        if is_code and definition:
            kind = "function" if definition[1] == b"def" else "class"
            found.append(Symbol(name=definition[2].decode(), kind=kind, line=row + 1, depth=0))
        elif heading and not is_code:
            name = heading[1].decode("utf-8", errors="replace").strip()
            found.append(Symbol(name=name, kind="section", line=row + 1, depth=0))
    return found


def _value(node: Node, key: bytes, source: Source) -> Node | None:
    """What an object holds under a key."""
    for pair in node.named_children:
        name = pair.child_by_field_name("key")
        if name is not None and source.data[name.start_byte : name.end_byte].strip(b'"') == key:
            return pair.child_by_field_name("value")
    return None
