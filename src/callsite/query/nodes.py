"""What does a query consist of? Frozen nodes, and what can be told from their shape alone.

Nodes come from `make.py`, which refuses what can't be meant and flattens: no `And` stands directly in an `And`, no `Or`
in an `Or`. They know no collection, no store and no model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from callsite.values import dataclass

#: What a filter compares with; times are in UTC, in whole milliseconds.
Scalar = int | str | bool | datetime

#: The lexical fields of every document (S1), and their weights in a match that names none.
LEXICAL_FIELDS = {"path": 3.0, "symbols": 1.5, "words": 1.0}


@dataclass(frozen=True, slots=True)
class All:
    """Every document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Documents whose field has one of the values; of a list, any element. Without values: no document."""

    field: str
    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """Documents whose field begins with one of the texts; of a list, any element. Without texts: no document."""

    field: str
    starts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exists:
    """Documents that have a value in the field."""

    field: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Documents that have none."""

    field: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A leg: documents with at least one of the terms in one of the lexical fields, scored with BM25."""

    text: str  #: its terms are looked for; "" when `weights` name the terms
    weights: tuple[tuple[str, float], ...] = ()  #: ready terms and what each counts
    fields: tuple[tuple[str, float], ...] = tuple(LEXICAL_FIELDS.items())  #: in the order of LEXICAL_FIELDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Knn:
    """A leg: the nearest `limit` documents by cosine, among those that pass the filters that it stands with."""

    target: str  #: the field of vectors
    limit: int
    vector: tuple[float, ...] = ()
    text: str = ""  #: stands for a vector until `with_vectors`


@dataclass(frozen=True, slots=True, kw_only=True)
class And:
    """Documents that all parts give; its parts without knn and limit are what the others look among."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Or:
    """Documents that any part gives."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """Documents that the part, which holds no knn and no limit, does not give."""

    part: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The first `n` documents of the part, in its order, among those that pass the filters that it stands with."""

    part: Node
    n: int


Node = All | Filter | Prefix | Exists | Missing | Match | Knn | And | Or | Not | Limit
Leg = Match | Knn


def parts_of(node: Node) -> tuple[Node, ...]:
    """The nodes directly below, from left to right."""
    if isinstance(node, And | Or):
        return node.parts
    return (node.part,) if isinstance(node, Not | Limit) else ()


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, from left to right."""
    yield node
    for part in parts_of(node):
        yield from walk(part)


def is_settled(node: Node) -> bool:
    """Whether each document alone decides if it is given: there is no knn and no limit in it."""
    return not any(isinstance(one, Knn | Limit) for one in walk(node))


def legs_of(node: Node) -> tuple[Leg, ...]:
    """The nodes that score, from left to right; what stands in a `not` scores nothing."""
    if isinstance(node, Match | Knn):
        return (node,)
    return () if isinstance(node, Not) else tuple(leg for part in parts_of(node) for leg in legs_of(part))


def rebuilt(node: Node, change: Callable[[Knn], Knn]) -> Node:
    """The same tree with other knn nodes."""
    if isinstance(node, Knn):
        return change(node)
    if isinstance(node, And):
        return And(parts=tuple(rebuilt(part, change) for part in node.parts))
    if isinstance(node, Or):
        return Or(parts=tuple(rebuilt(part, change) for part in node.parts))
    return Limit(part=rebuilt(node.part, change), n=node.n) if isinstance(node, Limit) else node


def depth_and_size(node: Node) -> tuple[int, int]:
    """How deep the tree is, and how many nodes it has."""
    below = [depth_and_size(part) for part in parts_of(node)]
    return 1 + max((depth for depth, _ in below), default=0), 1 + sum(size for _, size in below)
