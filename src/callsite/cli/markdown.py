"""What does an answer look like in Markdown, for a chat, an issue or a language model? Hits whole, in fenced blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from callsite.cli.clean import clean_line, clean_text
from callsite.types import Hit, Reason


def markdown_text(hits: Sequence[Hit], freshness: str, *, shown: Callable[[str], str], reasons: bool) -> str:
    """A heading and a block for each hit, and a last line that says how fresh they are."""
    parts = [_hit(hit, shown, reasons=reasons) for hit in hits]
    return "\n".join([*parts, f"_{_escaped(freshness)}_\n"])


def _hit(hit: Hit, shown: Callable[[str], str], *, reasons: bool) -> str:
    where = f":{hit.first_line}-{hit.last_line}" if hit.last_line else f" {clean_line(hit.source.rpartition(':')[2])}"
    place = clean_line(shown(hit.path)) + where
    name = f" {_code(clean_line(hit.name))}" if hit.name else ""
    code = clean_text(hit.text)
    fence = "`" * max(3, _longest_run(code) + 1)
    lines = [f"### {_code(place)}{name}", "", fence + hit.language, code, fence, ""]
    return "\n".join(lines + ([*map(_reason, hit.reasons), ""] if reasons else []))


def _code(text: str) -> str:
    """A code span that holds any text."""
    ticks = "`" * (_longest_run(text) + 1)
    room = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{room}{text}{room}{ticks}"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>])", r"\\\1", text)


def _reason(reason: Reason) -> str:
    return f"- {reason.value:+.2f} {_escaped(clean_line(reason.label))} {_escaped(clean_line(reason.detail))}".rstrip()
