"""How does a collection lie in an index? Names of fields, their mapping, and the definition, which is kept with it.

Names of ours that no field of a collection can have hold a hyphen: `terms-words` are the terms of a lexical field,
`has-content` says that a text is there. The collection's name is an alias of its index.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from callsite.collections.definition import Collection
from callsite.query.fields import Field
from callsite.stores.lucene.dialect import Dialect, Json
from callsite.values import dataclass

_META = "callsite"
_KEYWORD: Json = {"type": "keyword", "norms": False}
_TERMS: Json = {"type": "text", "analyzer": "callsite_terms", "index_options": "freqs", "similarity": "callsite_bm25"}
_PLAIN: dict[str, Json] = {
    "integer": {"type": "long"},
    "integers": {"type": "long"},
    "timestamp": {"type": "long"},  # milliseconds since 1970: compared exactly, in all years that there are
    "boolean": {"type": "boolean"},
    "keyword": _KEYWORD,
    "keywords": _KEYWORD,
}
_LONGEST_TERM = 8_192  # letters; the tokenizer would cut longer ones, and none is


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a collection lies."""

    alias: str  #: what requests name
    collection: Collection


def alias_of(prefix: str, name: str) -> str:
    return f"{prefix}{name}"


def index_of(alias: str) -> str:
    """The index behind it; another one can take its place when documents are copied."""
    return f"{alias}-1"


def presence(field: str) -> str:
    """Where it is told that a text, which is not indexed, is there."""
    return f"has-{field}"


def terms_of(lexical: str) -> str:
    """Where the terms of a lexical field lie."""
    return f"terms-{lexical}"


def index_body(place: Place, dialect: Dialect, *, version: str, shards: int, replicas: int) -> Json:
    """What the index is made from, on a server of that version."""
    settings: Json = {
        "number_of_shards": shards,
        "number_of_replicas": replicas,
        "similarity": {"callsite_bm25": {"type": "BM25", "k1": 1.2, "b": 0.75}},
        "analysis": {
            "tokenizer": {"callsite_spaces": {"type": "whitespace", "max_token_length": _LONGEST_TERM}},
            "analyzer": {"callsite_terms": {"type": "custom", "tokenizer": "callsite_spaces"}},
        },
    }
    collection = place.collection
    properties = {
        "id": _KEYWORD,
        **properties_of(collection.schema.fields, dialect),
        **{terms_of(to): _TERMS for to, _ in collection.lexical},
    }
    mappings = {"dynamic": "strict", "_routing": {"required": True}, "_meta": meta_of(place), "properties": properties}
    return {
        "settings": {"index": settings | dict(dialect.settings(version))},
        "mappings": mappings,
        "aliases": {place.alias: {}},
    }


def properties_of(fields: Iterable[Field], dialect: Dialect) -> Json:
    """The mapping of the fields of a collection."""
    found: Json = {}
    for field in fields:
        if field.kind == "vector":
            found[field.name] = dialect.vector(field)
        elif field.kind == "text":
            found |= {field.name: {"type": "text", "index": False}, presence(field.name): {"type": "boolean"}}
        else:
            found[field.name] = _PLAIN[field.kind]
    return found


def meta_of(place: Place) -> Json:
    return {_META: {"alias": place.alias, "collection": place.collection.to_json()}}


def place_in(mapping: Mapping[str, Any]) -> Place | None:
    """The collection that an index holds, from its mapping; None when it is none of ours."""
    kept = mapping.get("mappings", {}).get("_meta", {}).get(_META)
    if not isinstance(kept, Mapping) or "collection" not in kept:
        return None
    return Place(alias=str(kept.get("alias")), collection=Collection.from_json(kept["collection"]))
