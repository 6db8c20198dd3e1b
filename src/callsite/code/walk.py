"""Where inside one long definition may a cut fall, and which definitions lie in it? Bounded by nodes and by depth."""

from __future__ import annotations

from collections.abc import Sequence

from callsite.types import Symbol
from callsite.values import TYPE_CHECKING, dataclass, field

from .blocks import Part, Scope
from .grammars.rules import CLASS, FUNCTION, Reading, lead
from .outline import rows_of
from .source import Source

if TYPE_CHECKING:
    from tree_sitter import Node

#: Smaller nodes are not opened: pieces are never that small.
_SMALL = 400
_MOST_NODES = 30_000
_DEEPEST = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Nested:
    """A definition inside a long one."""

    first: int
    end: int
    row: int
    type: str
    symbol: Symbol


@dataclass(frozen=True, slots=True)
class Statements:
    """The rows at which statements start, with the depth of each, and the definitions met on the way."""

    level_by_row: dict[int, int] = field(default_factory=dict)
    nested: list[Nested] = field(default_factory=list)
    described: set[int] = field(default_factory=set)  #: rows that a comment or decorator above belongs to

    def innermost(self, first: int, end: int) -> Nested | None:
        """The smallest nested definition that holds all the rows."""
        holding = [nested for nested in self.nested if nested.first <= first and end <= nested.end]
        return min(holding, key=lambda nested: nested.end - nested.first, default=None)


def statements_of(parts: Sequence[Part], source: Source, reading: Reading, scope: Scope) -> Statements:
    """What lies in a block that is too long for one piece."""
    statements = Statements()
    statements.level_by_row.update((part.first, 0) for part in parts)
    statements.described.update(row for part in parts if (row := part.node.start_point[0]) != part.first)
    waiting = [(part.node, 1, scope) for part in reversed(parts)]
    own = {_extent(part.node, reading) for part in parts}
    n_nodes = 0
    while waiting and n_nodes < _MOST_NODES:
        parent, level, inner = waiting.pop()
        children = parent.named_children
        n_nodes += len(children)
        for child in _openers(children, level, source, statements, reading):
            if level < _DEEPEST:
                is_own = child.byte_range in own
                below = inner if is_own else _scope_within(child, inner, reading, statements)
                waiting.append((child, level + 1, below))
    return statements


def _extent(node: Node, reading: Reading) -> tuple[int, int]:
    """Where the definition lies inside its export or its decorators."""
    return (reading.find(node).node or node).byte_range


def _openers(children: list[Node], level: int, source: Source, statements: Statements, reading: Reading) -> list[Node]:
    """Notes where the children start; returns those worth opening."""
    long = []
    lead_end = -1  #: the row after a comment: what starts there belongs to the comment
    for child in children[:_MOST_NODES]:
        kind = child.type
        start, size = child.start_byte, child.end_byte - child.start_byte
        row = child.start_point[0]
        starts_row = not source.data[source.starts[row] : start].strip()
        if starts_row and (row == lead_end or (kind == "block" and _opens_with_document_string(child))):
            statements.described.add(row)
        elif starts_row and row not in statements.described:
            statements.level_by_row.setdefault(row, level)
        if reading.rules.get(kind) is lead:
            lead_end = rows_of(child)[1]
        if size > _SMALL:
            long.append(child)
    return long


def _opens_with_document_string(block: Node) -> bool:
    first = block.named_child(0) if block.named_child_count else None
    inner = first.named_child(0) if first is not None and first.named_child_count else None
    return inner is not None and inner.type == "string"


def _scope_within(node: Node, scope: Scope, reading: Reading, statements: Statements) -> Scope:
    found = reading.find(node)
    if found.role not in (FUNCTION, CLASS) or not found.names or not found.names[0]:
        return scope
    first, end = rows_of(node)
    row = first if found.node is None else found.node.start_point[0]
    name = scope.qualified(found.names[0])
    symbol = Symbol(name=name, kind=found.kind or "class", line=row + 1, depth=scope.depth)
    kind = "function" if found.kind in ("function", "constant") else "class"
    statements.nested.append(Nested(first=first, end=end, row=row, type=kind, symbol=symbol))
    return Scope(name=name, depth=scope.depth + 1)
