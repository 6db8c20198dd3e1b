"""What stands in the parentheses of a call, and how does a reader go through the words of a query?"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from callsite.errors import QueryError
from callsite.query.tokens import Token, error_at, tokens_of, unquoted
from callsite.query.values import utc
from callsite.values import dataclass

_LONGEST_INTEGER = 20  # digits; none with more fits into 64 bits


@dataclass(frozen=True, slots=True, kw_only=True)
class Bare:
    """A name without quotes."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """A value of a call, with its name if it has one."""

    name: str
    value: Any  #: int, float, str, bool, datetime, Bare, a list of such, or terms with their weights
    place: int


class Cursor:
    """Goes through the words of a text, one after the other."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._tokens = tokens_of(source)
        self._next = 0

    @property
    def token(self) -> Token:
        return self._tokens[self._next]

    def take(self) -> Token:
        """The word here; then the next one is."""
        token = self.token
        self._next += token.kind != "end"
        return token

    def expect(self, sign: str, expected: str = "") -> None:
        if not self.token.is_(sign):
            raise self.unexpected(expected or f"`{sign}`")
        self.take()

    def error(self, place: int, problem: str) -> QueryError:
        return error_at(self.source, place, problem)

    def unexpected(self, expected: str) -> QueryError:
        """Of the word here."""
        return self.error(self.token.start, f"{self.token} is not expected here, but {expected}")

    def integer(self) -> int:
        value = self._number() if self.token.kind == "number" else None
        if not isinstance(value, int):
            self._next -= value is not None
            raise self.unexpected("an integer")
        return value

    def arguments(self) -> list[Argument]:
        """Up to the closing parenthesis, which is taken too."""
        found: list[Argument] = []
        while not self.token.is_(")"):
            found.append(self._argument())
            if not self.token.is_(")"):
                self.expect(",", "`,` or `)`")
        self.take()
        return found

    def _argument(self) -> Argument:
        place = self.token.start
        if self.token.kind != "name" or not self._tokens[self._next + 1].is_("="):
            return Argument(name="", value=self._value(), place=place)
        name = self.take().text
        self.take()
        return Argument(name=name, value=self._value(), place=place)

    def _value(self) -> Any:
        if self.token.is_("["):
            return self._list()
        return self._terms() if self.token.is_("{") else self._single()

    def _single(self) -> Any:
        token = self.token
        if token.kind == "number":
            return self._number()
        if token.kind == "text":
            return unquoted(self.source, self.take())
        if token.kind == "time":
            return self._time()
        if token.kind != "name":
            raise self.unexpected("a value")
        self.take()
        return token.text == "true" if token.text in ("true", "false") else Bare(name=token.text)

    def _number(self) -> int | float:
        token = self.take()
        if not token.text.lstrip("-").isdigit():
            return float(token.text)
        if len(token.text) > _LONGEST_INTEGER:
            raise self.error(token.start, "this number does not fit into 64 bits")
        return int(token.text)

    def _time(self) -> datetime:
        token = self.take()
        try:
            time = datetime.fromisoformat(token.text[1:])
        except ValueError:
            time = datetime.min
        if time.tzinfo is None:
            raise self.error(token.start, "this is no time with its zone; write @2026-12-01T09:30:00Z")
        return utc(time)

    def _list(self) -> list[Any]:
        self.take()
        found: list[Any] = []
        while not self.token.is_("]"):
            if isinstance(value := self._single(), Bare):
                raise self.error(self._tokens[self._next - 1].start, f'texts stand in quotes: "{value.name}"')
            found.append(value)
            if not self.token.is_("]"):
                self.expect(",", "`,` or `]`")
        self.take()
        return found

    def _terms(self) -> dict[str, float]:
        self.take()
        found: dict[str, float] = {}
        while not self.token.is_("}"):
            place = self.token.start
            term = self._single()
            if not isinstance(term, str) or term in found:
                raise self.error(place, "here a term in quotes is expected that was not named before")
            self.expect(":")
            found[term] = self._single()
            if not self.token.is_("}"):
                self.expect(",", "`,` or `}`")
        self.take()
        return found
