"""What does a person see? Answers as text, readable at 80 columns and in a pipe."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from callsite.cli import colours
from callsite.cli.clean import clean_line, clean_text, cut, width_of
from callsite.cli.excerpt import excerpt
from callsite.types import Explanation, Freshness, Hit, Reason
from callsite.values import dataclass

_INDENT = "  "

Matches = Callable[[str], list[tuple[int, int]]]  #: where a text holds what was asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How answers are to be shown."""

    colour: bool = False
    width: int = 0  #: columns, 0 = lines may have any length
    whole: bool = False  #: hits with all their lines
    reasons: bool = False
    shown: Callable[[str], str] = str  #: a path, as it is to be written


def answer_text(hits: Sequence[Hit], look: Look, matches: Matches) -> str:
    """All hits, an empty line between them."""
    return "\n".join(_hit(hit, look, matches) for hit in hits)


def freshness_text(freshness: Freshness) -> str:
    """One line: what state of the repository an answer is from."""
    at = f"at {freshness.commit[:12]}" if freshness.commit else "no commit"
    on = f" on {clean_line(freshness.branch)}" if freshness.branch else ""
    facts = [
        at + on,
        counted(freshness.n_files, "file"),
        counted(freshness.n_changed, "changed", plural="changed") if freshness.n_changed and freshness.commit else "",
        f"{freshness.n_behind} not yet indexed" if freshness.n_behind else "",
        f"{freshness.n_skipped} skipped" if freshness.n_skipped else "",
    ]
    return ", ".join(filter(None, facts))


def counted(n: int, noun: str, *, plural: str = "") -> str:
    """`1 file`, `2 files`."""
    return f"{n} {noun if n == 1 else plural or noun + 's'}"


def explanation_text(explanation: Explanation, look: Look) -> str:
    """The verdict, the terms, and the reasons beside those of the hit that leads."""
    lines = [clean_line(explanation.verdict)]
    for label, terms in (("found", explanation.matched), ("not found", explanation.missing)):
        if terms:
            lines.append(f"{label}: {', '.join(clean_line(term.removeprefix('=')) for term in terms)}")
    hit, first = explanation.hit, explanation.first
    for title, one in (("hit", hit), ("first", None if hit and hit == first else first)):
        if one is not None:
            lines += ["", f"{title}: {_header(one, look)}", *_reasons(one)]
    return "\n".join(lines) + "\n"


def _hit(hit: Hit, look: Look, matches: Matches) -> str:
    lines = [_header(hit, look), *_code(hit, look, matches)]
    if look.reasons:
        lines += _reasons(hit)
    return "\n".join(lines) + "\n"


def _header(hit: Hit, look: Look) -> str:
    place = f"{clean_line(look.shown(hit.path))}:{hit.first_line}"
    if hit.last_line > hit.first_line:
        place += f"-{hit.last_line}"
    name = clean_line(hit.name) or f"({hit.type})"
    room = look.width - width_of(place) - len(_INDENT)
    if look.width:
        name = cut(name, room) if room > 1 else ""
    if not look.colour:
        return f"{place}{_INDENT}{name}".rstrip()
    return colours.painted(place, colours.PATH) + _INDENT + colours.painted(name, colours.NAME)


def _code(hit: Hit, look: Look, matches: Matches) -> list[str]:
    code = clean_text(hit.text)
    lines = code.split("\n")
    found = matches(code)
    words = _words_by_line(lines, code, found)
    chosen = range(len(lines)) if look.whole else excerpt(words, head=_head(lines, hit.name))
    looks = colours.looks_of(code, hit.language, found) if look.colour else []
    starts = _starts(lines)
    margin = len(str(hit.last_line))
    shown, expected = [], 0
    for n in chosen:
        if n != expected:
            shown.append(_gap(margin, look))
        expected = n + 1
        line_looks = looks[starts[n] : starts[n] + len(lines[n])]
        shown.append(_line(hit.first_line + n, lines[n], line_looks, margin, look))
    return shown if expected == len(lines) else [*shown, _gap(margin, look)]


def _gap(margin: int, look: Look) -> str:
    return _quiet(" " * (len(_INDENT) + margin - 1) + "…", look)


def _line(number: int, line: str, looks: list[str], margin: int, look: Look) -> str:
    start = f"{_INDENT}{number:>{margin}}{_INDENT}"
    room = max(look.width - len(start), 1) if look.width else 0
    line = cut(line, room).rstrip()
    start = start if line else start.rstrip()
    if not look.colour:
        return start + line
    return _quiet(start, look) + colours.with_looks(line, looks)


def _quiet(text: str, look: Look) -> str:
    return colours.painted(text, colours.QUIET) if look.colour else text


def _head(lines: list[str], name: str) -> int:
    """The first line that names what the hit defines: comments and decorators stand above it."""
    last = name.replace("::", ".").replace("#", ".").rpartition(".")[2]
    return next((n for n, line in enumerate(lines) if last and last in line), 0)


def _words_by_line(lines: list[str], code: str, found: list[tuple[int, int]]) -> list[frozenset[str]]:
    starts = _starts(lines)
    words: list[set[str]] = [set() for _ in lines]
    at = 0
    for start, end in found:
        while at + 1 < len(lines) and starts[at + 1] <= start:
            at += 1
        words[at].add(code[start:end].lower())
    return [frozenset(of_line) for of_line in words]


def _starts(lines: list[str]) -> list[int]:
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line) + 1
    return starts


def _reasons(hit: Hit) -> list[str]:
    return [f"{_INDENT}{hit.score:8.2f}  score", *(_reason(reason) for reason in hit.reasons)]


def _reason(reason: Reason) -> str:
    return f"{_INDENT}{reason.value:+8.2f}  {clean_line(reason.label)}  {clean_line(reason.detail)}".rstrip()
