"""Which fields does a collection have, and what fits into each? Knows names and kinds, no store."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping
from datetime import datetime

from callsite.errors import QueryError
from callsite.query.nodes import Scalar
from callsite.query.values import (
    kept_text_problem,
    keyword_problem,
    name_problem,
    plain,
    scalar_problem,
    shown,
    utc,
    vector_problem,
)
from callsite.values import dataclass

#: Kind → what its values are called. A keyword is compared whole, a text is only kept; what is searched for words are
#: the lexical fields, which every document has.
KINDS = {
    "integer": "an integer",
    "keyword": "a text",
    "text": "a text",
    "boolean": "true or false",
    "timestamp": "a time with its zone",
    "integers": "a list of integers",
    "keywords": "a list of texts",
    "vector": "a list of numbers",
}
_KIND = re.compile(r"vector\(([0-9]{1,5})\)")
MOST_DIMS = 4_096  # what Elasticsearch takes
MOST_FIELDS = 200
RESERVED = frozenset({"id", "version"})

Value = Scalar | tuple[int, ...] | tuple[str, ...] | tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A typed field; each document has one value in it, or none."""

    name: str
    kind: str  #: one of KINDS
    dims: int = 0  #: of a vector

    def __str__(self) -> str:
        return f"vector({self.dims})" if self.kind == "vector" else self.kind


ID = Field(name="id", kind="keyword")


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """The fields of a collection; besides these, every document has the keyword `id`."""

    fields: tuple[Field, ...]  #: sorted by name

    @staticmethod
    def of(**kinds: str) -> Schema:
        """`Schema.of(project_id="integer", embeddings_v1="vector(256)")`; QueryError for what is no kind."""
        if len(kinds) > MOST_FIELDS:
            raise QueryError(f"a collection can have {MOST_FIELDS} fields, not {len(kinds)}; leave some out")
        return Schema(fields=tuple(field_of(name, kinds[name]) for name in sorted(kinds)))

    def field(self, name: str) -> Field | None:
        """The field of that name; None when there is none."""
        return ID if name == ID.name else next((field for field in self.fields if field.name == name), None)

    def kinds(self) -> dict[str, str]:
        """Name → kind, as `Schema.of` takes them."""
        return {field.name: str(field) for field in self.fields}

    def unknown(self, name: str) -> str:
        """What is wrong with the name of a field that is not here, and what was probably meant."""
        from difflib import get_close_matches

        names = ["id", *(field.name for field in self.fields)]
        close = get_close_matches(name, names, n=1)
        return f"there is no field {name}; " + (f"did you mean {close[0]}?" if close else f"use {', '.join(names)}")


def field_of(name: str, kind: str) -> Field:
    """A field from its name and kind; QueryError when either is none."""
    if problem := name_problem(name):
        raise QueryError(problem)
    if name in RESERVED:
        raise QueryError(f"{name} is a part of every document; give the field another name")
    dims = _KIND.fullmatch(kind) if isinstance(kind, str) else None
    if dims and 1 <= int(dims[1]) <= MOST_DIMS:
        return Field(name=name, kind="vector", dims=int(dims[1]))
    if dims or kind not in KINDS or kind == "vector":
        known = ", ".join(one for one in KINDS if one != "vector")
        raise QueryError(f"{name}: {shown(kind)} is no kind; use {known}, or vector(n) with n from 1 to {MOST_DIMS:,}")
    return Field(name=name, kind=kind)


def comparison_problem(field: Field, value: Scalar) -> str:
    """What is wrong with comparing the field with the value, "" for nothing."""
    if field.kind == "vector":
        return f"{field.name} holds vectors; search it with knn(target={field.name}, …)"
    if field.kind == "text":
        return f"{field.name} is kept, not indexed; search its words with match(…), or filter by a keyword"
    kind = {"integers": "integer", "keywords": "keyword"}.get(field.kind, field.kind)
    return "" if _is_a(kind, value) else f"{shown(value)} is not {KINDS[kind]}, as {field.name} holds"


def value_problem(field: Field, value: object) -> str:
    """What is wrong with keeping the value in the field, "" for nothing."""
    if field.kind in ("integers", "keywords"):
        if not isinstance(value, list | tuple):
            return _other(field, value)
        return next(filter(None, (_single_problem(field, field.kind[:-1], one) for one in value)), "")
    return _dims_problem(field, value) if field.kind == "vector" else _single_problem(field, field.kind, value)


def normal(field: Field, value: object) -> Value | None:
    """A value without problems as it is kept; None for what is as good as no value: an empty list."""
    if field.kind == "vector":
        return single_precision(value)  # type: ignore[arg-type]
    if isinstance(value, list | tuple):
        return tuple(plain(one) for one in value) or None  # type: ignore[return-value]
    return utc(value) if isinstance(value, datetime) else plain(value)  # type: ignore[arg-type]


def single_precision(vector: Iterable[float]) -> tuple[float, ...]:
    """The numbers as a store with 32-bit floats keeps them: only then do all stores compute the same cosine."""
    if isinstance(vector, bytes | bytearray):  # an array would take them for its memory
        raise TypeError("bytes are no numbers")
    return tuple(array("f", vector))


def _dims_problem(field: Field, value: object) -> str:
    try:
        numbers = single_precision(value)  # type: ignore[arg-type]
    except (TypeError, OverflowError):
        return _other(field, value)
    if len(numbers) != field.dims:
        return f"{field.name} has {field.dims} dimensions, this vector {len(numbers)}"
    return vector_problem(numbers)


def _single_problem(field: Field, kind: str, value: object) -> str:
    if not _is_a(kind, value):
        return _other(field, value)
    if isinstance(value, str):
        return kept_text_problem(value) if kind == "text" else keyword_problem(value)
    return scalar_problem(value)


def _is_a(kind: str, value: object) -> bool:
    if kind == "boolean" or isinstance(value, bool):
        return kind == "boolean" and isinstance(value, bool)
    types: Mapping[str, type] = {"integer": int, "keyword": str, "text": str, "timestamp": datetime}
    return isinstance(value, types[kind])


def _other(field: Field, value: object) -> str:
    return f"{field.name} holds {KINDS[field.kind]}, not {shown(value)}"
