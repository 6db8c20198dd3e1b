"""How is a filter said to a server? Nodes without knn and limit in, a query without scores out; asks no server.

Values stand in JSON and nowhere else. A node becomes one level of the server's own, which takes some thirty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from callsite.collections.definition import Collection
from callsite.query.nodes import All, And, Exists, Filter, Match, Missing, Node, Not, Or, Prefix, depth_and_size
from callsite.stores.lucene.dialect import Json
from callsite.stores.lucene.documents import name_of, stored
from callsite.stores.lucene.mapping import presence, terms_of
from callsite.stores.values import Key

EVERY: Json = {"match_all": {}}
NONE: Json = {"match_none": {}}


#: Bytes; the server makes an automaton of them, and walks through it by recursion.
_LONGEST_PREFIX = 900
_BEGINS = "for (def one : doc[params.field]) { if (one.startsWith(params.start)) { return true; } } return false;"


class Filters:
    """Compiles the filters of one collection."""

    def __init__(self, collection: Collection, term_weights: Callable[[Match], dict[str, float]]) -> None:
        self._collection = collection
        self._term_weights = term_weights
        self._lexical = {to for to, _ in collection.lexical}

    def condition(self, node: Node) -> Json:
        """What a document has to pass."""
        match node:
            case All():
                return EVERY
            case And():
                return self._all(node.parts)
            case Or():
                return any_of(map(self.condition, node.parts))
            case Not():
                return self._all((node,))
            case Filter():
                return having(node.field, node.values)
            case Prefix():
                return any_of(self._beginning(node.field, start) for start in node.starts)
            case Exists():
                return self.there(node.field)
            case Missing():
                return {"bool": {"must_not": [self.there(node.field)]}}
            case Match():
                terms = list(self._term_weights(node))
                fields = [terms_of(to) for to, _ in node.fields if to in self._lexical]
                return any_of({"terms": {field: terms}} for field in fields) if terms else NONE
        raise TypeError(f"{type(node).__name__} is no filter")

    def matching(self, node: Match, *among: Json) -> Json:
        """A query that scores the documents with the terms, among those that pass."""
        weights = self._term_weights(node)
        should = [
            {"term": {terms_of(to): {"value": term, "boost": weight * field_weight}}}
            for to, field_weight in node.fields
            if to in self._lexical
            for term, weight in weights.items()
        ]
        if not should:
            return NONE
        return {"bool": {"should": should, "minimum_should_match": 1, "filter": _telling(among)}}

    def there(self, name: str) -> Json:
        """Whether the field has a value."""
        if name == "id":
            return EVERY
        field = self._collection.schema.field(name)
        return {"exists": {"field": presence(name) if field and field.kind == "text" else name}}

    def _all(self, parts: Iterable[Node]) -> Json:
        """What stands in a `not`, and the deepest `or`, go beside the others, and so are no levels of their own."""
        parts = list(parts)
        ors = [part for part in parts if isinstance(part, Or) and len(part.parts) > 1]
        deepest = max(ors, key=lambda part: depth_and_size(part)[0], default=None)
        asked = _telling(self.condition(part) for part in parts if not isinstance(part, Not) and part is not deepest)
        refused = [self.condition(one) for part in parts if isinstance(part, Not) for one in _each_of(part.part)]
        if not refused and not deepest:
            return all_of(asked)
        found: Json = {"filter": asked, "must_not": refused}
        if deepest:
            found |= {"should": [self.condition(one) for one in deepest.parts], "minimum_should_match": 1}
        return {"bool": {clause: queries for clause, queries in found.items() if queries}}

    def _beginning(self, name: str, start: str) -> Json:
        """Of a long text the server looks for the beginning, and looks at the rest of what it finds."""
        if not start:
            return self.there(name)
        first = start.encode()[:_LONGEST_PREFIX].decode(errors="ignore")
        found: Json = {"prefix": {name: {"value": first}}}
        if first == start:
            return found
        script = {"source": _BEGINS, "params": {"field": name, "start": start}}
        return all_of([found, {"script": {"script": script}}])


def having(name: str, values: Iterable[object]) -> Json:
    """Documents whose field has one of the values."""
    wanted = [stored(value) for value in values]  # type: ignore[arg-type]
    if len(wanted) == 1:
        return {"term": {name: {"value": wanted[0]}}}
    return {"terms": {name: wanted}} if wanted else NONE


def under(keys: Iterable[Key]) -> Json:
    """The documents under these keys."""
    return {"ids": {"values": [name_of(key) for key in keys]}}


def after(routing: str, key: Key) -> Json:
    """Documents that come later in the order of keys."""
    later = {"range": {routing: {"gt": key.routing}}}
    same = {"bool": {"filter": [having(routing, [key.routing]), {"range": {"id": {"gt": key.id}}}]}}
    return any_of([later, same])


def all_of(conditions: Iterable[Json]) -> Json:
    asked = _telling(conditions)
    return asked[0] if len(asked) == 1 else {"bool": {"filter": asked}} if asked else EVERY


def any_of(conditions: Iterable[Json]) -> Json:
    asked = list(conditions)
    if len(asked) < 2:
        return asked[0] if asked else NONE
    return {"bool": {"should": asked, "minimum_should_match": 1}}


def _each_of(node: Node) -> tuple[Node, ...]:
    return node.parts if isinstance(node, Or) else (node,)


def _telling(conditions: Iterable[Json]) -> list[Json]:
    """Those that do not let everything pass."""
    return [one for one in conditions if one != EVERY]
