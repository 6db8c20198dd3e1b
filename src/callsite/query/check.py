"""Does a query fit a collection? Names and types of its fields, and once more whatever `make.py` refuses."""

from __future__ import annotations

from collections.abc import Callable

from callsite.errors import QueryError
from callsite.query import make
from callsite.query.builder import Query
from callsite.query.fields import Field, Schema, comparison_problem
from callsite.query.nodes import Exists, Filter, Knn, Missing, Node, Prefix, walk


def checked(query: Query, schema: Schema) -> Query:
    """The query as it is run; QueryError when a field is unknown or of another type than it is asked for."""
    node = make.again(query.node)
    for one in walk(node):
        if problem := leaf_problem(one, schema):
            raise QueryError(problem)
    return Query(node)


def leaf_problem(node: Node, schema: Schema) -> str:
    """What is wrong with this one node for collections of the schema, "" for nothing."""
    match node:
        case Filter():
            return _problem("filter", node.field, schema, lambda field: _filter_problem(node, field))
        case Prefix():
            return _problem("prefix", node.field, schema, _prefix_problem)
        case Exists() | Missing():
            return _problem(type(node).__name__.lower(), node.field, schema, lambda field: "")
        case Knn():
            return _problem("knn", node.target, schema, lambda field: _knn_problem(node, field))
    return ""


def _problem(verb: str, name: str, schema: Schema, problem_with: Callable[[Field], str]) -> str:
    field = schema.field(name)
    problem = problem_with(field) if field else schema.unknown(name)
    return f"{verb}({name}): {problem}" if problem else ""


def _filter_problem(node: Filter, field: Field) -> str:
    if not node.values and field.kind in ("vector", "text"):
        return comparison_problem(field, "")
    return next(filter(None, (comparison_problem(field, value) for value in node.values)), "")


def _prefix_problem(field: Field) -> str:
    if field.kind in ("keyword", "keywords"):
        return ""
    if field.kind in ("text", "vector"):
        return comparison_problem(field, "")
    return f"{field.name} holds no texts; use filter"


def _knn_problem(node: Knn, field: Field) -> str:
    if field.kind != "vector":
        return f"{field.name} holds no vectors but a value of kind {field.kind}; name a field of vectors"
    if node.vector and len(node.vector) != field.dims:
        return f"{field.name} has {field.dims} dimensions, this vector {len(node.vector)}; embed with the field's model"
    return ""
