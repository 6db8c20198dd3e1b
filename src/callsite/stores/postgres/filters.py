"""How is a filter said in SQL? Nodes without knn and limit in, a condition with bound values out; asks no server.

A condition may be NULL where it is not true; `not` therefore is IS NOT TRUE.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from psycopg import sql

from callsite.query.fields import Field
from callsite.query.nodes import All, And, Exists, Filter, Match, Missing, Node, Not, Or, Prefix
from callsite.stores.postgres.layout import (
    INDEXED_LETTERS,
    Column,
    Layout,
    column_of,
    entry_of,
    lexical_columns,
    shortened,
    shortened_column,
)
from callsite.values import dataclass

TermWeights = Callable[[Match], dict[str, float]]
_ARRAYS = {
    "integer": "bigint[]",
    "keyword": "text[]",
    "boolean": "boolean[]",
    "timestamp": "timestamptz[]",
    "integers": "bigint[]",
    "keywords": "text[]",
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A part of a statement, and the values for its places in order."""

    text: sql.Composable
    values: tuple[object, ...] = ()


TRUE, FALSE = Condition(sql.SQL("TRUE")), Condition(sql.SQL("FALSE"))


class Filters:
    """Compiles filters for one collection."""

    def __init__(self, layout: Layout, term_weights: TermWeights) -> None:
        self._layout = layout
        self._term_weights = term_weights

    def condition(self, node: Node) -> Condition:
        """Whether a row of the table `t` passes."""
        match node:
            case All():
                return TRUE
            case And():
                return joined("AND", map(self.condition, node.parts), TRUE)
            case Or():
                return joined("OR", map(self.condition, node.parts), FALSE)
            case Not():
                part = self.condition(node.part)
                return Condition(sql.SQL("({}) IS NOT TRUE").format(part.text), part.values)
            case Match():
                return self._matching(node)
            case Filter():
                return self._having(node)
            case Prefix():
                return self._beginning(node)
            case Exists() | Missing():
                return self._there(node)
        raise TypeError(f"{type(node).__name__} is no filter")

    def _matching(self, node: Match) -> Condition:
        entries = [*map(entry_of, self._term_weights(node))]
        there = set(self._layout.lexical())
        columns = [lexical_columns(to)[0] for to, _ in node.fields if to in there]
        if not entries:
            return FALSE
        return joined("OR", (_condition("{} && %s::text[]", _of(column), entries) for column in columns), FALSE)

    def _having(self, node: Filter) -> Condition:
        field, values = self._field(node.field), list(node.values)
        if not values:
            return FALSE
        array = _ARRAYS[field.kind]
        column = _of(column_of(field))
        if field.kind not in ("integers", "keywords"):
            return both(_condition(f"{{}} = ANY(%s::{array})", column, values), self._indexed(field, values))
        return both(_condition(f"{{}} && %s::{array}", column, values), self._indexed(field, values))

    def _beginning(self, node: Prefix) -> Condition:
        field, starts = self._field(node.field), list(node.starts)
        column = _of(column_of(field))
        if field.kind == "keywords":
            return _condition("EXISTS (SELECT FROM unnest({}) AS one WHERE one ^@ ANY(%s::text[]))", column, starts)
        if len(starts) != 1:
            return _condition("{} ^@ ANY(%s::text[])", column, starts)
        condition = _condition("{} ^@ %s::text", column, starts[0])
        if is_shortened(self._layout, field):
            short = starts[0][:INDEXED_LETTERS]
            return both(condition, _condition(f"left({{}}, {INDEXED_LETTERS}) ^@ %s::text", column, short))
        return condition

    def _there(self, node: Exists | Missing) -> Condition:
        column = _of(column_of(self._field(node.field)))
        return _condition("{} IS NOT NULL" if isinstance(node, Exists) else "{} IS NULL", column)

    def _indexed(self, field: Field, values: Sequence[object]) -> Condition:
        """The same for the beginnings of the values, which can be looked up in an index."""
        if field.kind == "keywords":
            short = list(shortened(map(str, values)))
            return _condition("{} && %s::text[]", _of(shortened_column(field)), short)
        if is_shortened(self._layout, field):
            short = list(shortened(map(str, values)))
            return _condition(f"left({{}}, {INDEXED_LETTERS}) = ANY(%s::text[])", _of(column_of(field)), short)
        return TRUE

    def _field(self, name: str) -> Field:
        field = self._layout.collection.schema.field(name)
        if field is None:
            raise TypeError(f"{name} was not checked")
        return field


def is_shortened(layout: Layout, field: Field) -> bool:
    """Whether an index holds only the beginnings of the field's values; those of keys are short enough."""
    return field.kind == "keyword" and field.name not in ("id", layout.collection.routing)


def both(one: Condition, other: Condition) -> Condition:
    return joined("AND", (part for part in (one, other) if part is not TRUE), TRUE)


def joined(word: str, conditions: Iterable[Condition], empty: Condition) -> Condition:
    parts = list(conditions)
    if len(parts) < 2:
        return parts[0] if parts else empty
    text = sql.SQL(f" {word} ").join(sql.SQL("({})").format(part.text) for part in parts)
    return Condition(text, tuple(value for part in parts for value in part.values))


def _of(column: Column) -> sql.Identifier:
    return sql.Identifier("t", column.name)


def _condition(text: str, column: sql.Identifier, *values: object) -> Condition:
    return Condition(sql.SQL(text).format(column), values)
