"""Which words does the text of a query consist of, and how is a place in it pointed at?"""

from __future__ import annotations

import json
import re

from callsite.errors import QueryError
from callsite.values import dataclass

_TOKEN = re.compile(
    r"""(?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<time>@[0-9A-Za-z:.+-]*)
      | (?P<number>-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<text>"(?:[^"\\]|\\.)*")
      | (?P<sign>[()\[\]{}=,:])""",
    re.VERBOSE | re.DOTALL,
)
_SPACE = re.compile(r"\s*")
_MARGIN = 60  # letters shown on each side of the place


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word of a query's text."""

    kind: str  #: name, time, number, text, sign, end
    text: str
    start: int

    def is_(self, *texts: str) -> bool:
        """Whether it is one of these names or signs."""
        return self.kind in ("name", "sign") and self.text in texts

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else f"`{_printable(self.text[:40])}`"


def tokens_of(text: str) -> list[Token]:
    """The words in order, with an `end` behind them; QueryError where none can be read."""
    found: list[Token] = []
    place = _after_space(text, 0)
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            raise error_at(text, place, _unreadable(text[place]))
        found.append(Token(kind=str(token.lastgroup), text=token[0], start=place))
        place = _after_space(text, token.end())
    return [*found, Token(kind="end", text="", start=len(text))]


def unquoted(source: str, token: Token) -> str:
    """What stands in the quotes of a text."""
    try:
        found = json.loads(token.text, strict=False)
    except ValueError as error:
        raise error_at(source, token.start, "an escape in this text is none of JSON's; write \\\\ for \\") from error
    return str(found)


def error_at(source: str, place: int, problem: str) -> QueryError:
    """The problem with its line and column, from 1, then the line and a caret below the place."""
    start = source.rfind("\n", 0, place) + 1
    end = source.find("\n", start)
    line, column = source.count("\n", 0, place) + 1, place - start
    text = source[start : len(source) if end < 0 else end]
    left = max(0, column - _MARGIN)
    excerpt = ("…" if left else "") + _printable(text[left : column + _MARGIN])
    caret = " " * (column - left + bool(left)) + "^"
    return QueryError(f"line {line}, column {column + 1}: {problem}\n  {excerpt}\n  {caret}")


def _after_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _unreadable(letter: str) -> str:
    if letter == '"':
        return 'this text has no end; close it with "'
    if letter == "'":
        return 'texts stand in double quotes: "…"'
    hints = {"&": "write `and`", "|": "write `or`", "~": "write `not`", "!": "write `not`"}
    return f"`{_printable(letter)}` has no meaning here; {hints.get(letter, 'texts stand in double quotes')}"


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
