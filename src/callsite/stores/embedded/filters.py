"""How is a filter put to SQLite? One condition on `d`, the row of a document, and the values to bind."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from callsite.collections.definition import Collection
from callsite.query.fields import Field, Value
from callsite.query.nodes import All, And, Exists, Filter, Match, Missing, Node, Not, Or, Prefix
from callsite.values import dataclass

LISTS = ("integers", "keywords")
_FEW = 20  # prefixes
_FIRST_SURROGATE, _AFTER_SURROGATES, _LAST = 0xD800, 0xE000, 0x10FFFF  # code points
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Condition:
    """SQL that is true for what passes, false or NULL for what does not, and its values in order."""

    sql: str
    values: tuple[object, ...] = ()


EVERY, NONE = Condition("1"), Condition("0")


class Filters:
    """Compiles the filters of one collection. `matching` gives the rows that a match finds."""

    def __init__(self, collection: Collection, number: int, matching: Callable[[Match], Sequence[int]]) -> None:
        self._collection = collection
        self._number = number
        self._matching = matching

    def condition(self, node: Node) -> Condition:
        """The condition that a document passes; the node holds no knn and no limit."""
        match node:
            case All():
                return EVERY
            case And():
                return _joined(" AND ", [self.condition(part) for part in node.parts], EVERY)
            case Or():
                return _joined(" OR ", [self.condition(part) for part in node.parts], NONE)
            case Not():
                part = self.condition(node.part)
                return Condition(f"NOT ifnull({part.sql}, 0)", part.values)
            case Filter():
                return self._filter(node)
            case Prefix():
                return self._prefix(node)
            case Exists():
                return self._exists(node.field)
            case Missing():
                there = self._exists(node.field)
                return Condition(f"NOT {there.sql}", there.values)
            case Match():
                return Condition("d.row IN (SELECT value FROM json_each(?))", (json.dumps(self._matching(node)),))
        raise TypeError(f"{type(node).__name__} is no filter")

    def _field(self, name: str) -> Field:
        field = self._collection.schema.field(name)
        if field is None:
            raise TypeError(f"{name} was not checked")
        return field

    def _column(self, name: str) -> str:
        return column(self._collection, name)

    def _filter(self, node: Filter) -> Condition:
        if not node.values:
            return NONE
        wanted, at = json.dumps([stored(value) for value in node.values], ensure_ascii=False), self._column(node.field)
        among = "(SELECT value FROM json_each(?))"
        if self._field(node.field).kind in LISTS:
            return Condition(f"EXISTS (SELECT 1 FROM json_each(d.{at}) e WHERE e.value IN {among})", (wanted,))
        return Condition(f"d.{at} IN {among}", (wanted,))

    def _prefix(self, node: Prefix) -> Condition:
        starts, at = json.dumps(node.starts, ensure_ascii=False), self._column(node.field)
        if self._field(node.field).kind in LISTS:
            begins = "s.value = substr(e.value, 1, length(s.value))"
            return Condition(f"EXISTS (SELECT 1 FROM json_each(d.{at}) e, json_each(?) s WHERE {begins})", (starts,))
        if len(node.starts) <= _FEW:
            return _joined(" OR ", [_range(f"d.{at}", start) for start in node.starts], NONE)
        begins = f"s.value = substr(d.{at}, 1, length(s.value))"
        return Condition(f"EXISTS (SELECT 1 FROM json_each(?) s WHERE {begins})", (starts,))

    def _exists(self, name: str) -> Condition:
        kind = self._field(name).kind
        if kind == "vector":
            vector = f"SELECT 1 FROM {vectors_table(self._number, name)} v WHERE v.row = d.row"
            return Condition(f"EXISTS ({vector} AND v.vector IS NOT NULL)")
        if kind == "text":
            text = f"SELECT 1 FROM texts_{self._number} t WHERE t.row = d.row AND t.{self._column(name)} IS NOT NULL"
            return Condition(f"EXISTS ({text})")
        return Condition(f"(d.{self._column(name)} IS NOT NULL)")


def _range(at: str, start: str) -> Condition:
    """Texts that begin so, as an index finds them: they lie between the start and the text that follows all of them."""
    if not (stem := start.rstrip(chr(_LAST))):
        return Condition(f"{at} >= ?", (start,))
    after = ord(stem[-1]) + 1
    end = stem[:-1] + chr(_AFTER_SURROGATES if after == _FIRST_SURROGATE else after)
    return Condition(f"({at} >= ? AND {at} < ?)", (start, end))


def column(collection: Collection, name: str) -> str:
    """The column of a field; names are small letters, digits and _, but some are words of SQL."""
    return "id" if name == "id" else "routing" if name == collection.routing else f"f_{name}"


def vectors_table(number: int, field: str) -> str:
    return f"vectors_{number}_{field}"


def stored(value: Value) -> object:
    """A value as its column holds it; lists as JSON."""
    if isinstance(value, datetime):
        return (value - _EPOCH) // _MILLISECOND
    return json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else value


def restored(field: Field, kept: object) -> Value:
    """The value of a column, which is not NULL."""
    if field.kind == "timestamp":
        return _EPOCH + int(kept) * _MILLISECOND  # type: ignore[call-overload, no-any-return]
    if field.kind in LISTS:
        return tuple(json.loads(kept))  # type: ignore[arg-type]
    return bool(kept) if field.kind == "boolean" else kept  # type: ignore[return-value]


def _joined(by: str, parts: Sequence[Condition], without: Condition) -> Condition:
    """Halves joined to halves: SQLite takes trees of a thousand levels, and a chain has one for each part."""
    if len(parts) < 2:
        return parts[0] if parts else without
    middle = len(parts) // 2
    one, other = _joined(by, parts[:middle], without), _joined(by, parts[middle:], without)
    return Condition(f"({one.sql}{by}{other.sql})", one.values + other.values)
