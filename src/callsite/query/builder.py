"""How is a query put together in Python? `Query.filter(project_id=1).knn(target="v1", vector=v, limit=5)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NoReturn, ParamSpec

from callsite.query import make
from callsite.query.nodes import Leg, Node, legs_of
from callsite.values import dataclass

_Arguments = ParamSpec("_Arguments")


class _Verb(Generic[_Arguments]):
    """`Query.filter(…)` begins a query, and `query.filter(…)` narrows one: `query & Query.filter(…)`."""

    def __init__(self, make_node: Callable[_Arguments, Node]) -> None:
        self._make = make_node
        self.__doc__ = make_node.__doc__

    def __get__(self, query: Query | None, kind: type[Query]) -> Callable[_Arguments, Query]:
        def built(*given: _Arguments.args, **named: _Arguments.kwargs) -> Query:
            made = Query(self._make(*given, **named))
            return made if query is None else query & made

        built.__doc__ = self.__doc__
        return built


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked of a collection: immutable, checked when built, printed as text that `parse` reads.

    Which fields there are is not known here: `checked` compares a query with a schema, and every store does so first.
    """

    node: Node

    all = _Verb(make.every)
    filter = _Verb(make.filter_by)
    prefix = _Verb(make.prefix_of)
    exists = _Verb(make.exists_in)
    missing = _Verb(make.missing_in)
    match = _Verb(make.match_of)
    knn = _Verb(make.knn_of)

    def and_(*queries: Query) -> Query:
        """Documents that all queries give; without any, every document."""
        return Query(make.and_of(query.node for query in queries))

    def or_(*queries: Query) -> Query:
        """Documents that any query gives; without any, none."""
        return Query(make.or_of(query.node for query in queries))

    def not_(self) -> Query:
        """Documents that the query does not give; QueryError when it holds a knn or a limit."""
        return Query(make.not_of(self.node))

    def limit(self, n: int) -> Query:
        """The first `n` documents of the query, in its order."""
        return Query(make.limit_of(self.node, n))

    def legs(self) -> tuple[Leg, ...]:
        """What scores in it, from left to right; each hit has a raw score of each, or None."""
        return legs_of(self.node)

    def __and__(self, other: Query) -> Query:
        return Query.and_(self, other) if isinstance(other, Query) else NotImplemented

    def __or__(self, other: Query) -> Query:
        return Query.or_(self, other) if isinstance(other, Query) else NotImplemented

    def __invert__(self) -> Query:
        return self.not_()

    def __bool__(self) -> NoReturn:
        raise TypeError("a query is neither true nor false; join queries with &, | and ~")

    def __str__(self) -> str:
        from callsite.query.writing import written

        return written(self.node)
