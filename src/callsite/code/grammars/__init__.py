"""Which grammar and which rules read a language? One record per language, in files by family."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from .rules import Grammar

#: The family's file that holds the record of a language; a file is read when its first language is met.
_FAMILY_BY_LANGUAGE = {
    "python": "scripts",
    "ruby": "scripts",
    "php": "scripts",
    "lua": "scripts",
    "bash": "scripts",
    "javascript": "web",
    "jsx": "web",
    "typescript": "web",
    "tsx": "web",
    "css": "web",
    "html": "web",
    "java": "managed",
    "kotlin": "managed",
    "scala": "managed",
    "csharp": "managed",
    "swift": "managed",
    "c": "systems",
    "cpp": "systems",
    "go": "systems",
    "rust": "systems",
    "zig": "systems",
    "elixir": "declarative",
    "haskell": "declarative",
    "sql": "declarative",
}

GRAMMAR_LANGUAGES = frozenset(_FAMILY_BY_LANGUAGE)


@cache
def grammar_of(language: str) -> Grammar | None:
    """The record of a language, None when it is read without a syntax tree."""
    family = _FAMILY_BY_LANGUAGE.get(language)
    if family is None:
        return None
    grammars: dict[str, Grammar] = import_module(f"{__name__}.{family}").GRAMMARS
    return grammars[language]
