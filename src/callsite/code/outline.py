"""Which blocks does a syntax tree consist of? Descends into containers only; knows no sizes and no single language."""

from __future__ import annotations

from collections.abc import Sequence

from callsite.types import Symbol
from callsite.values import TYPE_CHECKING, replace

from .blocks import Block, Part, Scope, all_symbols, joined
from .grammars.rules import CLASS, FUNCTION, GROUP, IMPORT, LEAD, NAMESPACE, Found, Grammar, Reading
from .source import Source

if TYPE_CHECKING:
    from tree_sitter import Node

#: Containers in containers, beyond which a definition is taken as a whole: no real code comes near.
_DEEPEST = 16

_BLOCK_TYPE_BY_KIND = {
    "": "function",
    "function": "function",
    "constant": "function",
    "class": "class",
    "type": "class",
}


def outline(root: Node, source: Source, grammar: Grammar) -> list[Block]:
    """The blocks of a file in their order; rows that no block covers are blank or punctuation."""
    reading = Reading(source.data, grammar.rules)
    nodes: list[Node] = []
    for node in root.named_children:
        nodes.extend(node.named_children if node.type in grammar.flat else (node,))
    blocks = _read(nodes, Scope(member=grammar.statements), reading, floor=0)
    return _with_equal_names_joined(blocks) if grammar.joins_equal_names else blocks


def rows_of(node: Node) -> tuple[int, int]:
    """The rows that a node covers, end excluded; a line feed that it ends with starts no new row."""
    first = node.start_point[0]
    end, column = node.end_point
    return first, end if column == 0 and end > first else end + 1


class _Rows:
    """Collects blocks in order; comments and heads wait for what follows them."""

    def __init__(self, floor: int) -> None:
        self.blocks: list[Block] = []
        self._covered = floor  #: rows before this one belong to somebody already
        self._lead: Block | None = None

    def lead(self, first: int, end: int, symbols: tuple[Symbol, ...] = ()) -> None:
        """Rows that describe or open what comes next, if it comes directly."""
        if first < self._covered:
            self._cover(end)
            return
        waiting = Block(type="constant", first=first, end=end, row=first, symbols=symbols, loose=True, lead=not symbols)
        if self._lead is not None and first <= self._lead.end:
            waiting = replace(joined(self._lead, waiting), lead=self._lead.lead and waiting.lead)
        else:
            self.flush()
        self._lead = waiting

    def add(self, block: Block) -> None:
        """The next block; one that shares a row with the last is joined to it."""
        if self._lead is not None and self._lead.end >= block.first:
            first = self._lead.first
            parts = tuple(Part(first, part.node) for part in block.parts)
            block = replace(block, first=first, symbols=self._lead.symbols + block.symbols, parts=parts)
            self._lead = None
        self.flush()
        if self.blocks and block.first < self.blocks[-1].end:
            self.blocks[-1] = joined(self.blocks[-1], block)
        else:
            self.blocks.append(block)
        self._covered = self.blocks[-1].end

    def flush(self) -> None:
        """A comment that nothing follows stands for itself."""
        if self._lead is not None:
            self.blocks.append(self._lead)
            self._covered = self._lead.end
            self._lead = None

    def _cover(self, end: int) -> None:
        if self.blocks and end > self.blocks[-1].end:
            self.blocks[-1] = replace(self.blocks[-1], end=end)
            self._covered = end


def _read(nodes: Sequence[Node], scope: Scope, reading: Reading, *, floor: int) -> list[Block]:
    rows = _Rows(floor)
    _visit_all(nodes, scope, reading, rows)
    rows.flush()
    return rows.blocks


def _visit_all(nodes: Sequence[Node], scope: Scope, reading: Reading, rows: _Rows) -> None:
    for node in nodes:
        first, end = rows_of(node)
        found = reading.find(node)
        role = found.role
        if role == LEAD:
            rows.lead(first, end)
        elif role in (GROUP, NAMESPACE) and found.body is not None and scope.level < _DEEPEST:
            _visit_group(found, found.body, first, scope, reading, rows)
        else:
            rows.add(_block(node, found, first, end, scope, reading))


def _visit_group(found: Found, body: Node, first: int, scope: Scope, reading: Reading, rows: _Rows) -> None:
    children = [child for child in body.named_children if not _is_head(child, body, first)]
    inner = Scope(name=scope.name, depth=scope.depth, level=scope.level + 1, member=scope.member)
    if found.adds_depth and found.names:
        inner = replace(inner, name=scope.qualified(found.names[0]), depth=scope.depth + 1)
    begins = next((row for row in (child.start_point[0] for child in children) if row > first), first + 1)
    symbols = _symbols(found, first, scope)
    if symbols or begins > first:
        rows.lead(first, min(begins, first + 1 if not children else begins), symbols)
    _visit_all(children, inner, reading, rows)


def _is_head(child: Node, body: Node, first: int) -> bool:
    """Whether a child is the condition or the name on the first line of the group, not one of its members."""
    if body.type == "ERROR" or child.end_point[0] > first:
        return False
    return child.start_point[0] == first < body.end_point[0]


def _block(node: Node, found: Found, first: int, end: int, scope: Scope, reading: Reading) -> Block:
    row = first if found.node is None else found.node.start_point[0]
    name = scope.qualified(found.names[0]) if found.names else scope.name
    symbols = _symbols(found, row, scope)
    members: tuple[Block, ...] = ()
    is_value = False
    if found.role == CLASS:
        members = _members(found, row, name, scope, reading)
        is_value = (found.kind == "constant" or not found.names) and all(member.loose for member in members)
    if is_value:
        symbols += tuple(symbol for member in members for symbol in all_symbols(member))
    return Block(
        type=_type_of(found, scope, is_value=is_value),
        first=first,
        end=end,
        row=row,
        name="" if found.role == IMPORT else name,
        symbols=symbols,
        depth=scope.depth,
        loose=is_value if found.role == CLASS else found.role != FUNCTION,
        parts=(Part(first, node),),
        members=() if is_value else members,
    )


def _members(found: Found, row: int, name: str, scope: Scope, reading: Reading) -> tuple[Block, ...]:
    if found.body is None or scope.level >= _DEEPEST:
        return ()
    member = "constant" if found.kind in ("constant", "module") or not found.names else "class"
    inner = Scope(name=name, depth=scope.depth + 1, level=scope.level + 1, member=member)
    return tuple(_read(found.body.named_children, inner, reading, floor=row + 1))


def _symbols(found: Found, row: int, scope: Scope) -> tuple[Symbol, ...]:
    if not found.kind:
        return ()
    rows = found.rows or (row,) * len(found.names)
    return tuple(
        Symbol(name=scope.qualified(name), kind=found.kind, line=at + 1, depth=scope.depth)
        for name, at in zip(found.names, rows, strict=True)
        if name
    )


def _type_of(found: Found, scope: Scope, *, is_value: bool) -> str:
    if found.role == IMPORT:
        return "imports"
    if found.role == FUNCTION:
        return _BLOCK_TYPE_BY_KIND[found.kind]
    if found.role == CLASS:
        return "constant" if is_value or not found.names else "class"
    return "class" if found.kind == "type" else scope.member


def _with_equal_names_joined(blocks: list[Block]) -> list[Block]:
    """A signature and the equations of one function, overloads and their body, are one definition."""
    result: list[Block] = []
    for block in blocks:
        if block.members:
            block = replace(block, members=tuple(_with_equal_names_joined(list(block.members))))
        last = result[-1] if result else None
        if last is not None and last.name and last.name == block.name and last.type == block.type == "function":
            result[-1] = replace(joined(last, block), symbols=last.symbols)
        else:
            result.append(block)
    return result
