"""Which words of a text are those that a question asked for? For showing, not for ranking."""

from __future__ import annotations

from collections.abc import Collection

from callsite.text.words import Words, identifier_pattern


def matches(text: str, terms: Collection[str], words: Words) -> list[tuple[int, int]]:
    """Start and end of each identifier that holds one of the terms, in order."""
    wanted = frozenset(terms)
    return [
        found.span()
        for found in identifier_pattern(text).finditer(text)
        if not wanted.isdisjoint(words[found[0]].split()) or found[0].lower() in wanted
    ]
