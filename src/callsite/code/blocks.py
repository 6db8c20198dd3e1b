"""What is a file made of, before it is cut? Blocks of rows with their names; knows neither grammars nor sizes."""

from __future__ import annotations

from callsite.types import Symbol
from callsite.values import TYPE_CHECKING, dataclass

if TYPE_CHECKING:
    from typing import TypeVar

    from tree_sitter import Node

    _Item = TypeVar("_Item")

#: Between the titles in the name of a section.
TITLE_SEPARATOR = " > "


#: Statements beyond this on one row keep no symbols of their own.
_MOST_JOINED = 200


@dataclass(frozen=True, slots=True)
class Part:
    """A node and the row at which its comments begin."""

    first: int
    node: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Rows that belong together: a definition with its comments, an import, a statement, a section.

    `first` includes leading comments and decorators, `row` is where the definition itself begins, `end` is exclusive.
    """

    type: str  #: one of CHUNK_TYPES
    first: int
    end: int
    row: int
    name: str = ""
    symbols: tuple[Symbol, ...] = ()
    depth: int = 0  #: how many definitions enclose it
    loose: bool = False  #: no definition of its own: may share a piece with its neighbours
    lead: bool = False  #: comments that stand apart: go with what follows when they are short
    whole: bool = False  #: never cut, however long
    parts: tuple[Part, ...] = ()  #: several where definitions were joined
    members: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The definition that encloses what is being read."""

    name: str = ""
    depth: int = 0
    level: int = 0  #: how deep the reading itself is nested, to bound it
    member: str = "constant"  #: the type of loose statements inside

    def qualified(self, name: str) -> str:
        """`name` with the enclosing definition before it."""
        return f"{self.name}.{name}" if self.name and name else name or self.name


def joined(first: Block, second: Block) -> Block:
    """One block for two that share a row or belong to one definition; the first definition names it."""
    keeper = first if not first.loose or second.loose else second
    return Block(
        type=keeper.type,
        first=first.first,
        end=max(first.end, second.end),
        row=keeper.row,
        name=keeper.name,
        symbols=_appended(all_symbols(first), all_symbols(second)),
        depth=keeper.depth,
        loose=first.loose and second.loose,
        parts=_appended(first.parts, second.parts),
    )


def _appended(first: tuple[_Item, ...], second: tuple[_Item, ...]) -> tuple[_Item, ...]:
    """Both together, bounded: a hundred thousand statements may share one row."""
    return first + second if len(first) < _MOST_JOINED else first


def all_symbols(block: Block) -> tuple[Symbol, ...]:
    """What the block and its members define, in their order."""
    if not block.members:
        return block.symbols
    return block.symbols + tuple(symbol for member in block.members for symbol in all_symbols(member))
