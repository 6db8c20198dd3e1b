"""What does a query look like as JSON? Objects with one key each, named like the verbs of the builder.

    {"and": [{"filter": {"project_id": [1, 2]}}, {"knn": {"target": "embeddings_v1", "text": "…", "limit": 5}}]}

A time is `{"at": "2026-12-01T09:30:00Z"}`, so that a text is never taken for one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from callsite.errors import QueryError
from callsite.query import make
from callsite.query.builder import Query
from callsite.query.check import leaf_problem
from callsite.query.fields import Schema
from callsite.query.nodes import (
    LEXICAL_FIELDS,
    And,
    Exists,
    Filter,
    Knn,
    Limit,
    Match,
    Missing,
    Node,
    Not,
    Or,
    Prefix,
    Scalar,
)
from callsite.query.values import scalar_problem, shown, utc
from callsite.query.writing import moment


def to_json(query: Query) -> dict[str, Any]:
    """The query as values that `json.dumps` takes."""
    return _to(query.node)


def _to(node: Node) -> dict[str, Any]:
    match node:
        case Filter():
            return {"filter": {node.field: _one_or_list(node.values)}}
        case Prefix():
            return {"prefix": {node.field: _one_or_list(node.starts)}}
        case Exists():
            return {"exists": node.field}
        case Missing():
            return {"missing": node.field}
        case Match():
            return {"match": _match(node)}
        case Knn():
            asked = {"vector": list(node.vector)} if node.vector else {"text": node.text}
            return {"knn": {"target": node.target, **asked, "limit": node.limit}}
        case And():
            return {"and": [_to(part) for part in node.parts]}
        case Or():
            return {"or": [_to(part) for part in node.parts]}
        case Not():
            return {"not": _to(node.part)}
        case Limit():
            return {"limit": {"query": _to(node.part), "n": node.n}}
    return {"all": {}}


def _match(node: Match) -> dict[str, Any]:
    asked: dict[str, Any] = {"terms": dict(node.weights)} if node.weights else {"text": node.text}
    return asked if dict(node.fields) == LEXICAL_FIELDS else {**asked, "fields": dict(node.fields)}


def _one_or_list(values: tuple[Scalar, ...]) -> Any:
    plain = [{"at": moment(value)} if isinstance(value, datetime) else value for value in values]
    return plain[0] if len(plain) == 1 else plain


def from_json(data: object, schema: Schema | None = None) -> Query:
    """The query of what `json.loads` gave; QueryError names the place: `$.and[1].filter: …`."""
    try:
        return Query(_from(data, "$", schema, 0))
    except _Placed as error:
        raise QueryError(str(error)) from error.__cause__


def _from(data: object, place: str, schema: Schema | None, depth: int) -> Node:
    if not isinstance(data, Mapping) or len(data) != 1 or depth > make.DEEPEST * 2:
        raise QueryError(f"{place}: {shown(data)} is no query; write an object with one key: {', '.join(_READ)}")
    ((verb, given),) = data.items()
    place = f"{place}.{verb}"

    def below(part: object, where: str = "") -> Node:
        return _from(part, place + where, schema, depth + 1)

    try:
        if verb not in _READ:
            raise QueryError(f"there is no such thing in a query; use {', '.join(_READ)}")
        node = _READ[verb](given, below)
        problem = "" if schema is None else _problem_of(node, schema)
    except _Placed:
        raise
    except QueryError as error:
        raise _Placed(f"{place}: {error}") from error
    if problem:
        raise _Placed(f"{place}: {problem}")
    return node


class _Placed(QueryError):
    """Its message says already where."""


Below = Callable[..., Node]


def _problem_of(node: Node, schema: Schema) -> str:
    """Of a leaf, or of the leaves that one object with several fields has become."""
    parts = node.parts if isinstance(node, And) else (node,)
    return next(filter(None, (leaf_problem(part, schema) for part in parts)), "")


def _read_all(given: object, below: Below) -> Node:
    _object("all", given)
    return make.every()


def _read_filter(given: object, below: Below) -> Node:
    return make.filter_by(**{name: _values(value) for name, value in _object("filter", given, least=1).items()})


def _read_prefix(given: object, below: Below) -> Node:
    return make.prefix_of(**_object("prefix", given, least=1))


def _read_exists(given: object, below: Below) -> Node:
    return make.exists_in(given)  # type: ignore[arg-type]


def _read_missing(given: object, below: Below) -> Node:
    return make.missing_in(given)  # type: ignore[arg-type]


def _read_match(given: object, below: Below) -> Node:
    asked = _object("match", given, known=("text", "terms", "fields"))
    if ("text" in asked) == ("terms" in asked) or not isinstance(asked.get("terms", {}), Mapping):
        raise QueryError("give either a text, or an object of terms with their weights")
    fields = asked.get("fields", LEXICAL_FIELDS)
    looked_for = asked["terms"] if "terms" in asked else asked["text"]
    return make.match_of(looked_for, **_object("fields", fields, least=1))


def _read_knn(given: object, below: Below) -> Node:
    asked = _object("knn", given, known=("target", "vector", "text", "limit"))
    if "target" not in asked or "limit" not in asked:
        raise QueryError("give a target, a limit, and a text or a vector")
    return make.knn_of(**asked)


def _read_and(given: object, below: Below) -> Node:
    return make.and_of(_each(given, below))


def _read_or(given: object, below: Below) -> Node:
    return make.or_of(_each(given, below))


def _read_not(given: object, below: Below) -> Node:
    return make.not_of(below(given))


def _read_limit(given: object, below: Below) -> Node:
    asked = _object("limit", given, known=("query", "n"))
    if len(asked) < 2:
        raise QueryError("give a query and n")
    return make.limit_of(below(asked["query"], ".query"), asked["n"])


_READ: dict[str, Callable[[object, Below], Node]] = {
    "all": _read_all,
    "filter": _read_filter,
    "prefix": _read_prefix,
    "exists": _read_exists,
    "missing": _read_missing,
    "match": _read_match,
    "knn": _read_knn,
    "and": _read_and,
    "or": _read_or,
    "not": _read_not,
    "limit": _read_limit,
}


def _each(given: object, below: Below) -> list[Node]:
    if not isinstance(given, list | tuple):
        raise QueryError(f"{shown(given)} is no list of queries")
    return [below(part, f"[{n}]") for n, part in enumerate(given)]


def _object(what: str, given: object, *, known: tuple[str, ...] = (), least: int = 0) -> dict[str, Any]:
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given) or len(given) < least:
        raise QueryError(f"{shown(given)} is no object, as {what} takes one")
    for name in given:
        if known and name not in known:
            raise QueryError(f"{shown(name)} is not known; use {', '.join(known)}")
    return dict(given)


def _values(value: object) -> Any:
    return [_value(one) for one in value] if isinstance(value, list | tuple) else _value(value)


def _value(value: object) -> Any:
    if not isinstance(value, Mapping) or set(value) != {"at"}:
        return value
    try:
        time = datetime.fromisoformat(value["at"])
    except (TypeError, ValueError) as error:
        raise QueryError(f'{shown(value["at"])} is no time; write {{"at": "2026-12-01T09:30:00Z"}}') from error
    if problem := scalar_problem(time):
        raise QueryError(problem)
    return utc(time)
