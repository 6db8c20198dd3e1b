"""Does a path match the lines of an ignore file, as git reads them; it must not know where such files lie.

All lines become one regular expression on bytes, built so that no pattern makes it try more than a path's length times
the pattern's: wildcards match atomically at the first place that fits, which loses nothing as another one follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

#: What bracket names mean to git, in any locale.
_CLASSES = {
    b"alnum": rb"0-9A-Za-z",
    b"alpha": rb"A-Za-z",
    b"blank": rb" \t",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": rb"0-9",
    b"graph": rb"!-~",
    b"lower": rb"a-z",
    b"print": rb" -~",
    b"punct": rb"!-/:-@\[-`{-~",
    b"space": rb" \t-\r",
    b"upper": rb"A-Z",
    b"xdigit": rb"0-9A-Fa-f",
}

_CLOSED_BRACKET = rb"\[([!^]?)((?:\]|\[:[^\]]*:\]|\\.|[^\]\\])(?:\[:[^\]]*:\]|\\.|[^\]\\])*)\]"
_BRACKET = re.compile(_CLOSED_BRACKET, re.DOTALL)
_PART = re.compile(rb"(?:\A|/)(?P<part>(?:\\.|%s|[^/])*)" % _CLOSED_BRACKET, re.DOTALL)
_MEMBER = re.compile(rb"\[:([^\]]*):\]|(\\.|.)(?:-(\\.|[^\]]))?", re.DOTALL)
_TOKEN = re.compile(rb"(\*+)|(\?)|(\[)|\\(.)|([^\\])", re.DOTALL)

_ANY_DIRECTORIES = rb"(?:[^/]+/)*"


class _Unmatchable(Exception):
    """The pattern matches nothing, by git's rules."""


class Patterns:
    """The patterns of one ignore file; the last one that matches a path itself decides."""

    __slots__ = ("_expression", "_negated")

    def __init__(self, text: bytes) -> None:
        rules = list(_rules(text))[::-1]
        self._negated = [negated for negated, _ in rules]
        self._expression = re.compile(b"|".join(b"(%s)" % expression for _, expression in rules) or rb"(?!)", re.DOTALL)

    def decide(self, path: str) -> bool | None:
        """True to leave a path out, False to keep it against other rules, None if no pattern matches.

        The path is relative to the ignore file; that of a directory ends in `/`. A directory that is left out takes
        everything below with it, which is the caller's to see.
        """
        found = self._expression.match(path.encode("utf-8", "surrogateescape"))
        return None if found is None or found.lastindex is None else not self._negated[found.lastindex - 1]


def _rules(text: bytes) -> Iterator[tuple[bool, bytes]]:
    """Whether each pattern is negated, and its expression."""
    for whole in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        line = _without_trailing_spaces(whole.removesuffix(b"\r"))
        negated = line.startswith(b"!")
        pattern = line[1:] if negated else line
        if not line.startswith(b"#") and pattern.strip(b"/"):
            try:
                yield negated, _expression(pattern)
            except _Unmatchable:
                continue


def _without_trailing_spaces(line: bytes) -> bytes:
    """A space at the end counts only behind a backslash."""
    short = line.rstrip(b" ")
    n_backslashes = len(short) - len(short.rstrip(b"\\"))
    return line[: len(short) + 1] if n_backslashes % 2 else short


def _expression(pattern: bytes) -> bytes:
    end = rb"/\Z" if pattern.endswith(b"/") else rb"/?\Z"
    body = pattern.removesuffix(b"/")
    if b"/" not in body:
        return _ANY_DIRECTORIES + _segment(body) + end
    return _path([part["part"] for part in _PART.finditer(body.removeprefix(b"/"))]) + end


def _path(segments: list[bytes]) -> bytes:
    """The expression of a pattern with slashes: runs of segments, `**` between them for any number of directories."""
    first, *others = _runs(segments)
    if not others:
        return first
    *middle, last = others
    start = first + b"/" if first else b""
    between = b"".join(b"(?>(?:[^/]+/)*?%s/)" % run for run in middle if run)
    return start + between + (_ANY_DIRECTORIES + last if last else rb"[^/].*")


def _runs(segments: list[bytes]) -> list[bytes]:
    runs: list[list[bytes]] = [[]]
    for segment in segments:
        if len(segment) > 1 and not segment.strip(b"*"):
            runs.append([])
        else:
            runs[-1].append(_segment(segment))
    return [b"/".join(run) for run in runs]


def _segment(segment: bytes) -> bytes:
    """The expression of a pattern's part between slashes."""
    if not segment:  # no path has two slashes in a row
        raise _Unmatchable
    first, *others = _chunks(segment)
    if not others:
        return first
    *middle, last = others
    return first + b"".join(b"(?>[^/]*?%s)" % chunk for chunk in middle) + b"(?>[^/]*%s(?![^/]))" % last


def _chunks(segment: bytes) -> list[bytes]:
    """The expressions of what stands between the stars."""
    chunks, place = [b""], 0
    while place < len(segment):
        token = _TOKEN.match(segment, place)
        if token is None:  # a backslash at the end
            raise _Unmatchable
        stars, one, bracket, escaped, plain = token.groups()
        place = token.end()
        if stars:
            chunks.append(b"")
        elif bracket:
            expression, place = _bracket(segment, token.start())
            chunks[-1] += expression
        else:
            chunks[-1] += b"[^/]" if one else re.escape(escaped or plain)
    return chunks


def _bracket(segment: bytes, start: int) -> tuple[bytes, int]:
    found = _BRACKET.match(segment, start)
    if found is None:
        raise _Unmatchable
    negated, members = found.groups()
    inside = b"".join(_member(member) for member in _MEMBER.finditer(members))
    if not inside:
        return (b"[^/]" if negated else b"(?!)"), found.end()
    return b"(?!/)[%s%s]" % (b"^" if negated else b"", inside), found.end()


def _member(member: re.Match[bytes]) -> bytes:
    name, low, high = member.groups()
    if name is not None:
        if name not in _CLASSES:
            raise _Unmatchable
        return _CLASSES[name]
    low, high = low[-1:], (high or low)[-1:]
    return b"%s-%s" % (re.escape(low), re.escape(high)) if low <= high else b""
