"""Where do the sections of a configuration begin? By the look of single lines, so that damaged files are read too."""

from __future__ import annotations

import re
from bisect import bisect_right

from .marks import Mark
from .source import Source

#: What opens a section in each language; the first group that matched names it.
_OPENERS = {
    "yaml": rb"(?!#|---|\.\.\.)([\w\"'./$&*@+~<-][^#\n]*?)\s*:(?:\s|$)|-\s+(\S[^\n]{0,80})",
    "toml": rb"\s*\[+\s*([^\]\n]+?)\s*\]+",
    "ini": rb"\s*\[\s*([^\]\n]+?)\s*\]",
    "dockerfile": rb"(?i:FROM)\s+\S+(?:\s+(?i:AS)\s+(\S+))?",
    "makefile": rb"(?:define\s+(\w+)|(?!\.PHONY|\.SUFFIXES)([\w./%$(){}-][^:=#\n]*?)\s*::?(?!=))",
    "just": rb"@?([\w-]+)(?:\s+[^:=\n]*)?:(?!=)",
    "meson": rb"(\w+)\s*=\s*(?:executable|library|static_library|shared_library|custom_target|declare_dependency)\b",
    "bazel": rb"(?:def\s+(\w+)|\w+\()",
    "cmake": rb"(?i:function|macro|add_library|add_executable|add_custom_target)\s*\(\s*([^\s)]+)",
    "gherkin": rb"\s*(?:Feature|Scenario(?: Outline)?|Background|Rule)\s*:\s*([^\n]*)",
    "diff": rb"diff --git a/(\S+)|Index: (\S+)",
    "vue": rb"<(script|template|style|i18n)\b",
    "svelte": rb"<(script|style)\b|</(?:script|style)>()",
    "astro": rb"<(script|style)\b|(?:---)()",
}

_PATTERN_BY_LANGUAGE = {language: re.compile(pattern) for language, pattern in _OPENERS.items()}
_JSON_INDENTATION = re.compile(rb'\n([ \t]+)"')
_JSON_KEY = rb'\n([ \t]%b)"((?:[^"\\\n]|\\.)*)"[^\S\n]*:'

#: Sections of a configuration that hold whole scripts are cut further by their definitions, not here.
_LONGEST_NAME = 100


def section_marks(language: str, source: Source) -> list[Mark]:
    """The lines at which the outermost sections begin; none in a language without sections."""
    if language == "json":
        return _json_marks(source)
    pattern = _PATTERN_BY_LANGUAGE.get(language)
    if pattern is None:
        return []
    marks = []
    for row in range(source.n_rows):
        found = pattern.match(source.line(row))
        if found:
            marks.append(_mark(row, _first_group(found)))
    return marks


def _json_marks(source: Source) -> list[Mark]:
    """The keys with the smallest indentation. Looked for in all of the text, which takes half as long as row by row."""
    text = b"\n" + source.data
    width = min(map(len, _JSON_INDENTATION.findall(text)), default=0)
    if not width:
        return []
    found = list(re.finditer(_JSON_KEY % b"{%d}" % width, text))  # of strings: those of an array are no keys
    found = found or list(re.finditer(_JSON_KEY % b"+", text))
    outermost = min((len(match[1]) for match in found), default=0)
    return [
        _mark(bisect_right(source.starts, match.start()) - 1, match[2]) for match in found if len(match[1]) == outermost
    ]


def _first_group(found: re.Match[bytes]) -> bytes:
    return next((group for group in found.groups() if group), b"")


def _mark(row: int, name: bytes) -> Mark:
    text = " ".join(name.decode("utf-8", errors="replace").split())[:_LONGEST_NAME].strip("\"'")
    return Mark(row=row, name=text, type="section", kind="section", takes_comments=True)
