"""How does a document lie in an index, and how does it come back? Values in and out; asks no server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from callsite.collections.definition import Collection
from callsite.query.fields import Value, single_precision
from callsite.stores.lucene.dialect import Json
from callsite.stores.lucene.mapping import presence, terms_of
from callsite.stores.lucene.server import encoded
from callsite.stores.terms import Terms
from callsite.stores.values import Document, Key

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_RESTORED: dict[str, Callable[[Any], Value]] = {
    "timestamp": lambda kept: _EPOCH + kept * _MILLISECOND,
    "integers": tuple,
    "keywords": tuple,
    "vector": single_precision,
}


def name_of(key: Key) -> str:
    """The `_id` of a document: of two keys never the same, and no longer than 512 bytes."""
    if isinstance(key.routing, int):
        return f"{key.routing}:{key.id}"
    return f"{len(key.routing)}:{key.routing}:{key.id}"


def key_of(collection: Collection, name: str) -> Key:
    """The key that a name was made of."""
    number, _, rest = name.partition(":")
    if collection.routing_field.kind == "integer":
        return Key(int(number), rest)
    return Key(rest[: int(number)], rest[int(number) + 1 :])


def source_of(collection: Collection, fields: Mapping[str, Value | None], terms: Terms) -> str:
    """What fields become, in JSON: themselves, what tells that a text is there, and the terms of lexical fields."""
    vectors = {field.name: fields[field.name] for field in collection.vector_fields() if fields.get(field.name)}
    others = {name: value for name, value in fields.items() if name not in vectors}
    written = [encoded(_plain_source(collection, others, terms))[1:-1], *map(_numbers, vectors.items())]
    return "{" + ",".join(filter(None, written)) + "}"


def _numbers(vector: tuple[str, Any]) -> str:
    """Nine digits say which number of single precision it is; JSON's own way writes seventeen."""
    name, numbers = vector
    written: str = ",".join(["%.9g"] * len(numbers)) % numbers
    return f'"{name}":[{written}]'


def _plain_source(collection: Collection, fields: Mapping[str, Value | None], terms: Terms) -> Json:
    texts = [field.name for field in collection.schema.fields if field.kind == "text" and field.name in fields]
    found: Json = {name: stored(value) for name, value in fields.items()}
    found |= {presence(name): None if fields[name] is None else True for name in texts}
    empty = {to for to, source in collection.lexical if source in fields and fields[source] is None}
    for to, said in terms.of_fields(collection, fields).items():
        found[terms_of(to)] = None if to in empty else said
    return found


def stored(value: Value | None) -> object:
    """A value as JSON holds it."""
    if isinstance(value, datetime):
        return (value - _EPOCH) // _MILLISECOND
    return value


def document_of(collection: Collection, names: Iterable[str], key: Key, source: Mapping[str, Any]) -> Document:
    """Those of the fields that have a value."""
    found: dict[str, Value] = {}
    for name in names:
        if (kept := source.get(name)) is not None:
            found[name] = restored(collection, name, kept)
    return Document(key=key, fields=found)


def restored(collection: Collection, name: str, kept: Any) -> Value:
    field = collection.schema.field(name)
    restore = _RESTORED.get(field.kind) if field else None
    return restore(kept) if restore else kept
