"""How is a query written down? The text that `reading.py` takes back, value for value."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime

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

#: How tightly a node binds: a looser one inside a tighter one stands in parentheses.
_LIMIT, _OR, _AND, _NOT, _CALL = range(5)


def written(node: Node) -> str:
    """The node as text."""
    text, _ = _written(node)
    return text


def quoted(text: str) -> str:
    """A text in double quotes with JSON's escapes, also for what would move a cursor: a query is shown on terminals."""
    plain = json.dumps(text, ensure_ascii=False)
    return (
        plain if plain.isprintable() else "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in plain)
    )


def moment(time: datetime) -> str:
    """A time in UTC as ISO 8601 has it."""
    return time.isoformat().replace("+00:00", "Z")


def _written(node: Node) -> tuple[str, int]:
    """The text, and how tightly it binds."""
    match node:
        case Limit():
            return f"{_inside(node.part, _OR)} limit {node.n}", _LIMIT
        case Or():
            return " or ".join(_inside(part, _AND) for part in node.parts), _OR
        case And():
            return " and ".join(_inside(part, _NOT) for part in node.parts), _AND
        case Not():
            return f"not {_inside(node.part, _NOT)}", _NOT
    return _call(node), _CALL


def _inside(node: Node, loosest: int) -> str:
    text, binding = _written(node)
    return text if binding >= loosest else f"({text})"


def _call(node: Node) -> str:
    match node:
        case Filter():
            return f"filter({node.field}={_one_or_list(node.values)})"
        case Prefix():
            return f"prefix({node.field}={_one_or_list(node.starts)})"
        case Exists():
            return f"exists({node.field})"
        case Missing():
            return f"missing({node.field})"
        case Match():
            return f"match({', '.join([_words(node), *_fields(node)])})"
        case Knn():
            asked = f"vector={_list(map(repr, node.vector))}" if node.vector else f"text={quoted(node.text)}"
            return f"knn(target={node.target}, {asked}, limit={node.limit})"
    return "all"


def _words(node: Match) -> str:
    if not node.weights:
        return quoted(node.text)
    return "{" + ", ".join(f"{quoted(term)}: {weight!r}" for term, weight in node.weights) + "}"


def _fields(node: Match) -> list[str]:
    return [] if dict(node.fields) == LEXICAL_FIELDS else [f"{name}={weight!r}" for name, weight in node.fields]


def _one_or_list(values: tuple[Scalar, ...]) -> str:
    return _scalar(values[0]) if len(values) == 1 else _list(map(_scalar, values))


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(texts)}]"


def _scalar(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return f"@{moment(value)}"
    return quoted(value) if isinstance(value, str) else str(value)
