"""What does code look like in colour? Kinds of tokens from pygments, matched words bold and underlined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

MATCH = "1;4"
PATH = "1;35"
QUIET = "2"
NAME = "1;34"

_MOST_CHARACTERS = 60_000  # longer texts are shown plain: colouring takes 1 ms for 2,000 characters

#: Kind of token → how it looks, in the sixteen colours that every theme makes readable. Parents stand for their parts.
_LOOKS = {
    "Comment": "90",
    "Keyword": "35",
    "Literal.Number": "36",
    "Literal.String": "32",
    "Name.Attribute": "33",
    "Name.Builtin": "36",
    "Name.Class": "34",
    "Name.Decorator": "33",
    "Name.Function": "34",
    "Name.Tag": "34",
    "Operator.Word": "35",
}

#: Our names of languages where pygments has another.
_LEXERS = {"gomod": "go", "gitignore": "text", "dotenv": "bash", "notebook": "markdown", "objectivec": "objective-c"}


def painted(text: str, look: str) -> str:
    """A text in a look (parameters of the terminal's colour sequence)."""
    return f"\x1b[{look}m{text}\x1b[0m" if look and text else text


def looks_of(code: str, language: str, matches: Iterable[tuple[int, int]]) -> list[str]:
    """The look of each character of a clean code."""
    looks = _syntax(code, language)
    for start, end in matches:
        for at in range(start, min(end, len(looks))):
            looks[at] = f"{looks[at]};{MATCH}" if looks[at] else MATCH
    return looks


def with_looks(line: str, looks: Sequence[str]) -> str:
    """A line, each character in its look; what is longer than the looks is plain."""
    every = [*looks, *[""] * (len(line) - len(looks))]
    parts, at = [], 0
    for look, run in groupby(every[: len(line)]):
        end = at + len(list(run))
        parts.append(painted(line[at:end], look))
        at = end
    return "".join(parts)


def _syntax(code: str, language: str) -> list[str]:
    tokens = _tokens(code, language) if language and len(code) <= _MOST_CHARACTERS else []
    looks = [look for look, value in tokens for _ in value]
    return looks if len(looks) == len(code) else [""] * len(code)


def _tokens(code: str, language: str) -> list[tuple[str, str]]:
    """Look and text of each token; none for a language that pygments doesn't know."""
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    options = {"stripnl": False, "ensurenl": False, "startinline": "<?" not in code}
    try:
        lexer = get_lexer_by_name(_LEXERS.get(language, language), **options)
    except ClassNotFound:
        return []
    return [(_look_of(str(kind)), value) for kind, value in lexer.get_tokens(code)]


def _look_of(kind: str) -> str:
    kind = kind.removeprefix("Token.")
    while kind:
        if kind in _LOOKS:
            return _LOOKS[kind]
        kind = kind.rpartition(".")[0]
    return ""
