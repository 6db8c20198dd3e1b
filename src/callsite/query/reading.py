"""What does the text of a query mean? The counterpart of `writing.py`; errors name line and column.

    query  = either { "limit" integer }
    either = both { "or" both }
    both   = single { "and" single }
    single = "not" single | "(" query ")" | "all" | name "(" [ argument { "," argument } ] ")"

The arguments of a call are read in `arguments.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from callsite.errors import QueryError
from callsite.query import make
from callsite.query.arguments import Argument, Bare, Cursor
from callsite.query.builder import Query
from callsite.query.check import leaf_problem
from callsite.query.fields import Schema
from callsite.query.nodes import Node
from callsite.query.tokens import error_at
from callsite.query.values import shown

_MOST_OPEN = 100  # parentheses and `not` inside each other: the reader calls itself for each


def parse(text: str, schema: Schema | None = None) -> Query:
    """The query of a text; with a schema, names and types are checked too. QueryError points at what is wrong."""
    reader = _Reader(text, schema)
    try:
        node = reader.query()
    except _Pointed as error:
        raise QueryError(str(error)) from error.__cause__
    if reader.cursor.token.kind != "end":
        raise reader.cursor.unexpected("`and`, `or`, `limit` or the end")
    return Query(node)


class _Reader:
    def __init__(self, text: str, schema: Schema | None) -> None:
        self.cursor = Cursor(text)
        self._schema = schema
        self._n_open = 0

    def query(self) -> Node:
        node = self._either()
        while self.cursor.token.is_("limit"):
            place = self.cursor.take().start
            n = self.cursor.integer()
            node = self._made(place, lambda node=node, n=n: make.limit_of(node, n))  # type: ignore[misc]
        return node

    def _either(self) -> Node:
        return self._joined("or", self._both, make.or_of)

    def _both(self) -> Node:
        return self._joined("and", self._single, make.and_of)

    def _joined(self, word: str, part: Callable[[], Node], join: Callable[[list[Node]], Node]) -> Node:
        place = self.cursor.token.start
        parts = [part()]
        while self.cursor.token.is_(word):
            self.cursor.take()
            parts.append(part())
        return self._made(place, lambda: join(parts))

    def _single(self) -> Node:
        token = self.cursor.token
        self._n_open += 1
        if self._n_open > _MOST_OPEN:
            raise self.cursor.error(token.start, f"more than {_MOST_OPEN} parentheses are open; ask in parts")
        if token.is_("not"):
            self.cursor.take()
            part = self._single()
            node = self._made(token.start, lambda: make.not_of(part))
        elif token.is_("("):
            self.cursor.take()
            node = self.query()
            self.cursor.expect(")", "`and`, `or`, `limit` or `)`")
        else:
            node = self._call()
        self._n_open -= 1
        return node

    def _call(self) -> Node:
        token = self.cursor.token
        if token.is_("all"):
            self.cursor.take()
            return make.every()
        if token.kind != "name" or token.text not in _CALLS:
            raise self.cursor.unexpected(f"`not`, `(`, `all` or one of {', '.join(_CALLS)}")
        self.cursor.take()
        self.cursor.expect("(")
        read = _CALLS[token.text]
        arguments = self.cursor.arguments()
        return self._made(token.start, lambda: read(self, token.start, arguments))

    def _made(self, place: int, read: Callable[[], Node]) -> Node:
        """What is wrong with the node is said at its place, unless a place inside was named."""
        try:
            return read()
        except _Pointed:
            raise
        except QueryError as error:
            raise _Pointed(str(error_at(self.cursor.source, place, str(error)))) from error

    def _checked(self, place: int, build: Callable[[], Node]) -> Node:
        def read() -> Node:
            node = build()
            problem = "" if self._schema is None else leaf_problem(node, self._schema)
            if problem:
                raise QueryError(problem)
            return node

        return self._made(place, read)

    def _filter(self, place: int, arguments: list[Argument]) -> Node:
        return self._each("filter", arguments, make.filter_by)

    def _prefix(self, place: int, arguments: list[Argument]) -> Node:
        return self._each("prefix", arguments, make.prefix_of)

    def _each(self, verb: str, arguments: list[Argument], build: Callable[..., Node]) -> Node:
        if not arguments:
            raise QueryError(f'{verb} names no field; write {verb}(name="value")')
        _by_name(verb, arguments, known=None)
        return make.and_of([self._one(verb, one, build) for one in arguments])

    def _one(self, verb: str, one: Argument, build: Callable[..., Node]) -> Node:
        def read() -> Node:
            if isinstance(one.value, Bare):
                raise QueryError(f'{one.value.name} is no value; texts stand in quotes: {one.name}="{one.value.name}"')
            return build(**{one.name: one.value})

        return self._checked(one.place, read)

    def _exists(self, place: int, arguments: list[Argument]) -> Node:
        return self._checked(place, lambda: make.exists_in(_only_field("exists", arguments)))

    def _missing(self, place: int, arguments: list[Argument]) -> Node:
        return self._checked(place, lambda: make.missing_in(_only_field("missing", arguments)))

    def _match(self, place: int, arguments: list[Argument]) -> Node:
        first, *fields = arguments or [Argument(name="", value=None, place=place)]
        if first.name or not isinstance(first.value, str | dict):
            raise QueryError('match begins with what is looked for: match("words") or match({"term": 1.0})')
        weights = _by_name("match", fields, known=None)
        return self._checked(place, lambda: make.match_of(first.value, **weights))

    def _knn(self, place: int, arguments: list[Argument]) -> Node:
        named = _by_name("knn", arguments, known=("target", "vector", "text", "limit"))
        if not isinstance(named.get("target"), Bare) or "limit" not in named:
            raise QueryError('write knn(target=field, text="…", limit=10) or knn(target=field, vector=[…], limit=10)')
        named["target"] = named["target"].name
        return self._checked(place, lambda: make.knn_of(**named))


_CALLS: dict[str, Callable[[_Reader, int, list[Argument]], Node]] = {
    "filter": _Reader._filter,
    "prefix": _Reader._prefix,
    "exists": _Reader._exists,
    "missing": _Reader._missing,
    "match": _Reader._match,
    "knn": _Reader._knn,
}


class _Pointed(QueryError):
    """Its message says already where."""


def _only_field(verb: str, arguments: list[Argument]) -> str:
    if len(arguments) == 1 and not arguments[0].name and isinstance(arguments[0].value, Bare):
        return arguments[0].value.name
    raise QueryError(f"{verb} takes one field without quotes: {verb}(name)")


def _by_name(verb: str, arguments: list[Argument], *, known: tuple[str, ...] | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in arguments:
        if not one.name or (known and one.name not in known):
            names = ", ".join(known) if known else "field=value"
            raise QueryError(f"{verb} takes values by name: {names}; not {one.name or shown(one.value)}")
        if one.name in found:
            raise QueryError(f"{verb}: {one.name} is given twice; leave one out")
        found[one.name] = one.value
    return found
