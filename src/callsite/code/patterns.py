"""Where do definitions begin in a language without a grammar? By patterns; nesting is told by indentation."""

from __future__ import annotations

import re

from .marks import Mark
from .source import Source

_MODIFIERS = (
    rb"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|override|virtual|pub|local|"
    rb"external|extern|inline|sealed|open|partial|unsafe|const|pure|view|payable|recursive|impure|elemental)\s+)*"
)

#: Keyword-led definitions, which most languages share.
_FUNCTION = (
    _MODIFIERS
    + rb"(?:def|defn-?|defmacro|func|function!?|fun|fn|sub|proc|procedure|subroutine|method|rpc|task|rule|macro)\s+"
)
_CLASS = _MODIFIERS + (
    rb"(?:class|object|struct|record|contract|library|module|namespace|package|service|defmodule|role|actor|extension|"
    rb"defrecord|deftype|defprotocol|mixin|union|program|unit|entity|architecture|model|datasource)\s+"
)
_TYPE = (
    _MODIFIERS
    + rb"(?:interface|trait|protocol|enum|type|typedef|message|input|scalar|typealias|oneof|event|error|newtype|"
    rb"data)\s+"
)
_NAME = rb"[\"'`]?([A-Za-z_$][\w$.:'!?-]*)"

_GENERIC = (
    (re.compile(rb"([ \t]*)(?:\(\s*)?" + _FUNCTION + _NAME), "function"),
    (re.compile(rb"([ \t]*)(?:\(\s*)?" + _CLASS + _NAME), "class"),
    (re.compile(rb"([ \t]*)" + _TYPE + _NAME), "type"),
)

_C_LIKE = re.compile(
    rb"([ \t]{0,8})(?!return\b|else\b|if\b|for\b|while\b|switch\b|new\b|throw\b|await\b|case\b|import\b|yield\b)"
    rb"(?:[A-Za-z_@][\w<>\[\],.?:]*[ \t*&]+)+([A-Za-z_]\w*)\s*\([^;{}\n]*\)[^;=\n]*\{?\s*$"
)

#: Definitions that the common keywords do not find.
_SPECIAL = {
    "terraform": (
        re.compile(rb"()((?:resource|data|module|variable|output|provider|locals|terraform)\b[^{\n]*?)\s*\{"),
        "class",
    ),
    "r": (re.compile(rb"([ \t]*)([\w.]+)\s*(?:<-|=)\s*function\b"), "function"),
    "julia": (re.compile(rb"()([A-Za-z_]\w*!?)\([^\n]*\)\s*(?:where\b[^=\n]*)?=(?!=)"), "function"),
    "erlang": (re.compile(rb"()([a-z]\w*)\([^\n]*\)\s*(?:when\b[^\n]*)?->"), "function"),
    "ocaml": (re.compile(rb"([ \t]*)(?:let|and|val|external)\s+(?:rec\s+)?([a-z_]\w*)"), "function"),
    "fsharp": (
        re.compile(
            rb"([ \t]*)(?:let|and|member|static member)\s+(?:rec\s+|inline\s+|private\s+)*(?:\w+\.)?([a-z_A-Z]\w*)"
        ),
        "function",
    ),
    "commonlisp": (re.compile(rb"([ \t]*)\((?:def\w+|define)\s+\(?([^\s()]+)"), "function"),
    "emacslisp": (re.compile(rb"([ \t]*)\((?:cl-)?def\w+\s+\(?([^\s()]+)"), "function"),
    "scheme": (re.compile(rb"([ \t]*)\(define\S*\s+\(?([^\s()]+)"), "function"),
    "racket": (re.compile(rb"([ \t]*)\((?:define\S*|struct)\s+\(?([^\s()]+)"), "function"),
    "clojure": (re.compile(rb"([ \t]*)\(def\S*\s+(?:\^\S+\s+)*([^\s()\[\]]+)"), "function"),
    "powershell": (re.compile(rb"([ \t]*)(?i:function|filter)\s+([\w:-]+)"), "function"),
    "nix": (re.compile(rb"([ \t]{0,4})([\w.-]+)\s*=(?!=)"), "constant"),
    "graphql": (
        re.compile(rb"()(?:extend\s+)?(?:query|mutation|subscription|fragment|directive|union)\s+@?(\w+)"),
        "function",
    ),
    "objectivec": (
        re.compile(rb"()(?:[-+]\s*\([^)\n]*\)\s*(\w+)|@(?:interface|implementation|protocol)\s+(\w+))"),
        "function",
    ),
    "matlab": (re.compile(rb"([ \t]*)function\s+(?:[^=\n]*=\s*)?([\w.]+)"), "function"),
    "perl": (re.compile(rb"()(?:package)\s+([\w:]+)"), "class"),
    "assembly": (re.compile(rb"()([A-Za-z_][\w.$]*):"), "function"),
    "verilog": (re.compile(rb"([ \t]*)(?:always|initial)\b()"), "function"),
    "scss": (re.compile(rb"()(@mixin\s+[\w-]+|@function\s+[\w-]+|[.#&\w:*\[][^{};\n]*)\s*\{"), "section"),
    "less": (re.compile(rb"()([.#&@\w:*\[][^{};\n]*)\s*\{"), "section"),
    "vim": (re.compile(rb"([ \t]*)fu(?:n(?:c(?:t(?:i(?:o(?:n)?)?)?)?)?)?!?\s+([\w:#.]+)"), "function"),
    "prolog": (re.compile(rb"()([a-z]\w*)\([^\n]*(?::-|\.)\s*$"), "function"),
}

_WITH_C_LIKE = frozenset(
    ("dart", "groovy", "d", "objectivec", "vala", "glsl", "cuda", "apex", "haxe", "vb", "solidity", "v")
)

_TEXT = frozenset(
    (
        "",
        "text",
        "json",
        "jsonl",
        "xml",
        "csv",
        "diff",
        "ini",
        "yaml",
        "toml",
        "markdown",
        "rst",
        "gitignore",
        "html",
        "bibtex",
        "requirements",
        "dotenv",
        "postscript",
        "gomod",
    )
)

_TYPE_BY_KIND = {
    "function": "function",
    "class": "class",
    "type": "class",
    "section": "section",
    "constant": "constant",
}


def is_code(language: str) -> bool:
    """Whether definitions are looked for at all."""
    return language not in _TEXT


def definition_marks(language: str, source: Source) -> list[Mark]:
    """The lines at which definitions begin, qualified by the classes that they are indented under."""
    patterns = _patterns_of(language)
    marks: list[Mark] = []
    above: list[tuple[int, str, str]] = []  # indentation, kind and name of the open definitions
    for row in range(source.n_rows):
        found = _definition(source.line(row), patterns)
        if found is None:
            continue
        indent, kind, name = found
        while above and above[-1][0] >= indent:
            above.pop()
        qualified = f"{above[-1][2]}.{name}" if above else name
        is_inner = any(kind == "function" for _, kind, _ in above)
        marks.append(
            Mark(
                row=row,
                name=qualified,
                type=_TYPE_BY_KIND[kind],
                kind=kind,
                depth=len(above),
                opens=not is_inner,
                takes_comments=True,
            )
        )
        above.append((indent, kind, qualified))
    return marks


def _patterns_of(language: str) -> tuple[tuple[re.Pattern[bytes], str], ...]:
    special = (_SPECIAL[language],) if language in _SPECIAL else ()
    if language in _WITH_C_LIKE:
        return (*special, *_GENERIC, (_C_LIKE, "function"))
    return (*special, *_GENERIC)


def _definition(line: bytes, patterns: tuple[tuple[re.Pattern[bytes], str], ...]) -> tuple[int, str, str] | None:
    if len(line) > 500:
        return None
    for pattern, kind in patterns:
        found = pattern.match(line)
        if found:
            name = next((group for group in found.groups()[1:] if group), b"").decode("utf-8", errors="replace")
            return len(found[1].expandtabs(4)), kind, " ".join(name.replace('"', "").split()).rstrip(":.")
    return None
