"""Can this document, change or key be kept? Foreign values in; checked and normal ones, or the problem, out."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from itertools import islice

from callsite.collections.definition import Collection
from callsite.query.fields import Field, Value, normal, value_problem
from callsite.query.values import integer_problem, plain, shown, text_problem
from callsite.stores.values import Change, Key, Outcome
from callsite.values import dataclass

#: Bytes. Elasticsearch and OpenSearch find a document by one name of at most 512, into which both have to go.
LONGEST_ID = 256
LONGEST_ROUTING = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A document, or a part of one, that can be kept."""

    key: Key
    fields: Mapping[str, Value | None]  #: without `id`; None empties a field
    expected: Mapping[str, Value | None]


def row_of(collection: Collection, document: object) -> Row | Outcome:
    """A document as it is kept, the routing field among its fields; else the refused outcome."""
    if not isinstance(document, Mapping):
        return refused(None, f"{shown(document)} is no document; give fields by name")
    key = Key(document.get(collection.routing), document.get("id"))  # type: ignore[arg-type]
    if problem := key_problem(collection, key):
        return refused(None, problem)
    key = Key(plain(key.routing), plain(key.id))  # type: ignore[arg-type]
    fields = _fields(collection, {name: value for name, value in document.items() if name != "id"})
    return refused(key, fields) if isinstance(fields, str) else Row(key=key, fields=fields, expected={})


def change_of(collection: Collection, change: object) -> Row | Outcome:
    """A change as it is made; else the refused outcome."""
    if not isinstance(change, Change):
        return refused(None, f"{shown(change)} is no Change")
    if problem := key_problem(collection, change.key):
        return refused(None, problem)
    fields = _fields(collection, change.fields, collection.routing)
    expected = _fields(collection, change.expected)
    if isinstance(fields, str) or isinstance(expected, str):
        return refused(change.key, fields if isinstance(fields, str) else f"expected: {expected}")
    for field in collection.vector_fields():
        if expected.get(field.name) is not None:
            return refused(
                change.key, f"expected: {field.name}: vectors are not compared; expect None or another field"
            )
    return Row(key=change.key, fields=fields, expected=expected)


def key_problem(collection: Collection, key: object) -> str:
    """What is wrong with a key for the collection, "" for nothing."""
    if not isinstance(key, Key):
        return f"{shown(key)} is no Key"
    if problem := _part_problem(key.id, LONGEST_ID):
        return f"id: {problem}"
    if collection.routing_field.kind == "keyword":
        problem = _part_problem(key.routing, LONGEST_ROUTING)
    elif isinstance(key.routing, bool) or not isinstance(key.routing, int):
        problem = f"{shown(key.routing)} is no integer"
    else:
        problem = integer_problem(key.routing)
    return f"{collection.routing}: {problem}; it is a part of the key" if problem else ""


def refused(key: Key | None, problem: str) -> Outcome:
    """The outcome of an item that can't be kept."""
    return Outcome(key=key, state="refused", problem=problem)


def _part_problem(text: object, longest: int) -> str:
    if not isinstance(text, str) or not text:
        return f"{shown(text)} is no text with at least one letter"
    if problem := text_problem(text):
        return problem
    size = len(text.encode("utf-8"))
    return "" if size <= longest else f"the text has {size:,} bytes, at most {longest} can be kept"


def _fields(collection: Collection, given: object, *kept_out: str) -> dict[str, Value | None] | str:
    if not isinstance(given, Mapping):
        return f"{shown(given)} holds no fields by name"
    found: dict[str, Value | None] = {}
    for name, value in given.items():
        if name in ("id", *kept_out):
            return f"{name} is a part of the key and can't be changed; write another document"
        field = collection.schema.field(name) if isinstance(name, str) else None
        if field is None:
            return collection.schema.unknown(name if isinstance(name, str) else shown(name))
        value = _listed(field, value)
        if value is not None and (problem := value_problem(field, value)):
            return f"{name}: {problem}"
        found[name] = None if value is None else normal(field, value)
    return found


def _listed(field: Field, value: object) -> object:
    """What can be gone through once only, as a list; of endless ones no more than shows that they are too long."""
    if field.kind != "vector" or not isinstance(value, Iterable) or isinstance(value, str | bytes | bytearray | array):
        return value
    return list(islice(value, field.dims + 1))
