"""Where are the headings of a document? Markdown, reStructuredText, AsciiDoc, Org and LaTeX; fences are respected."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from .blocks import TITLE_SEPARATOR
from .marks import Mark
from .source import Source

#: Row, level (1 = highest) and title of a heading.
Heading = tuple[int, int, str]

_LONGEST_TITLE = 80

_ATX = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})\s*$")
_MARKDOWN_SIGNS = ("#", "=", "-", "`", "~")  # a look at one letter spares most lines the patterns
_FENCE = re.compile(r"\s*(```+|~~~+)")
_UNDERLINE = re.compile(r"([=\-`:'\"~^_*+#<>.])\1{2,}\s*$")
_ASCIIDOC = re.compile(r"(={1,6})\s+(\S.*?)\s*$")
_ASCIIDOC_FENCE = re.compile(r"(-{4,}|\.{4,}|={4,}|\+{4,})\s*$")
_ORG = re.compile(r"(\*+)\s+(\S.*?)\s*$")
_LATEX = re.compile(r"\s*\\(part|chapter|section|subsection|subsubsection|paragraph)\*?\{(.+?)\}?\s*$")
_LATEX_LEVELS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph")


def heading_marks(language: str, source: Source) -> list[Mark]:
    """The headings of a document, each named by the path of titles above it; none in other languages."""
    reader = _READERS.get(language)
    if reader is None:
        return []
    lines = source.data.decode("utf-8", errors="replace").split("\n")
    marks: list[Mark] = []
    above: list[tuple[int, str]] = []
    for row, level, title in reader(lines):
        while above and above[-1][0] >= level:
            above.pop()
        above.append((level, title[:_LONGEST_TITLE]))
        name = TITLE_SEPARATOR.join(title for _, title in above)
        marks.append(Mark(row=row, name=name, type="section", kind="section", depth=len(above) - 1))
    return marks


def _markdown(lines: list[str]) -> Iterator[Heading]:
    fence = ""
    for row, line in enumerate(lines):
        if not line.lstrip().startswith(_MARKDOWN_SIGNS):
            continue
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        elif heading := _ATX.match(line):
            yield row, len(heading[1]), heading[2]
        elif (under := _SETEXT.match(line)) and row and _is_title(lines[row - 1]):
            yield row - 1, 1 if under[1][0] == "=" else 2, lines[row - 1].strip()


def _is_title(line: str) -> bool:
    text = line.strip()
    return bool(text) and not text.startswith(("#", ">", "-", "*", "|", "```", "<")) and ":" not in text[:20]


def _rst(lines: list[str]) -> Iterator[Heading]:
    level_by_style: dict[str, int] = {}
    for row in range(1, len(lines)):
        under, title = _UNDERLINE.match(lines[row]), lines[row - 1].rstrip()
        if not under or not title or title[0].isspace() or _UNDERLINE.match(title):
            continue
        if len(under[0].strip()) < len(title) - 1:
            continue
        is_over = row > 1 and lines[row - 2].rstrip() == lines[row].rstrip()
        style = under[1] + ("over" if is_over else "")
        level = level_by_style.setdefault(style, len(level_by_style) + 1)
        yield row - 2 if is_over else row - 1, level, title.strip()


def _asciidoc(lines: list[str]) -> Iterator[Heading]:
    fence = ""
    for row, line in enumerate(lines):
        if mark := _ASCIIDOC_FENCE.match(line):
            fence = "" if fence == mark[1] else fence or mark[1]
        elif not fence and (heading := _ASCIIDOC.match(line)):
            yield row, len(heading[1]), heading[2]


def _org(lines: list[str]) -> Iterator[Heading]:
    for row, line in enumerate(lines):
        if heading := _ORG.match(line):
            yield row, len(heading[1]), heading[2]


def _latex(lines: list[str]) -> Iterator[Heading]:
    for row, line in enumerate(lines):
        if heading := _LATEX.match(line):
            yield row, _LATEX_LEVELS.index(heading[1]), heading[2]


_READERS: dict[str, Callable[[list[str]], Iterator[Heading]]] = {
    "markdown": _markdown,
    "rst": _rst,
    "asciidoc": _asciidoc,
    "org": _org,
    "latex": _latex,
}
