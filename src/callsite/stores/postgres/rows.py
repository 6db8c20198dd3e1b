"""Which values go into which columns? A checked row in; the columns of its fields, and what follows from them, out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from callsite.query.fields import Value
from callsite.stores.memory.lexicon import kept_length
from callsite.stores.postgres.layout import (
    Column,
    Layout,
    column_of,
    entries_of,
    lexical_columns,
    shortened,
    shortened_column,
)
from callsite.stores.rows import Row
from callsite.stores.terms import Terms
from callsite.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A row, and its values by column."""

    row: Row
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What all rows of one statement have in common: the fields that are given, and those that are expected."""

    given: tuple[str, ...]
    expected: tuple[str, ...]


def shape_of(row: Row) -> Shape:
    return Shape(given=tuple(sorted(row.fields)), expected=tuple(sorted(row.expected)))


def prepared(layout: Layout, row: Row, terms: Terms) -> Prepared:
    """All columns that the row's fields decide."""
    schema = layout.collection.schema
    values: dict[str, object] = {}
    for name, value in row.fields.items():
        field = schema.field(name)
        assert field is not None
        values[column_of(field).name] = value
        if field.kind == "keywords":
            values[shortened_column(field).name] = _shortened(value)
    for to, said in terms.of_fields(layout.collection, row.fields).items():
        entries, n, kept = lexical_columns(to)
        listed = said.split()
        values[entries.name] = entries_of(Counter(listed)) or None
        values[n.name] = len(listed)
        values[kept.name] = kept_length(len(listed))
    return Prepared(row=row, values=values)


def given_columns(layout: Layout, shape: Shape) -> list[Column]:
    """The columns of the given fields, without the key."""
    key = layout.collection.routing
    return [column_of(field) for field in layout.fields(shape.given) if field.name != key]


def written_columns(layout: Layout, shape: Shape) -> list[Column]:
    """Those, and what follows from all given fields, the key among them."""
    return given_columns(layout, shape) + layout.derived(shape.given)


def expected_columns(layout: Layout, shape: Shape) -> list[Column]:
    """The columns of the expected fields."""
    return [column_of(field) for field in layout.fields(shape.expected)]


def packed_rows(layout: Layout, shape: Shape, rows: Iterable[Prepared]) -> Iterable[list[object]]:
    """Place, routing, id, the written columns and what is expected, as they are copied."""
    written = [column.name for column in written_columns(layout, shape)]
    expected = [field.name for field in layout.fields(shape.expected)]
    for place, one in enumerate(rows):
        values = one.values
        yield [
            place,
            one.row.key.routing,
            one.row.key.id,
            *[values.get(name) for name in written],
            *[one.row.expected[name] for name in expected],
        ]


def _shortened(value: Value | None) -> tuple[str, ...] | None:
    return shortened(map(str, value)) if isinstance(value, tuple) else None
