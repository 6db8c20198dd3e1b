"""Which text of a chunk is embedded? A pure function of its fields: equal chunks have equal texts everywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping

#: Makes the text of the fields that it names.
TextOf = Callable[[Mapping[str, object]], str]

FIELDS = ("path", "name", "content")


def embedded_text(fields: Mapping[str, object]) -> str:
    """The qualified name, if it has one, on a line of its own, then the content.

    The path is left out on purpose: with it, moving or renaming a file would mean paying for all of its chunks again,
    and the same file in two repositories would be paid for twice. Words of paths are found by match.
    """
    return "\n".join(filter(None, (_text(fields, "name"), _text(fields, "content"))))


def embedded_text_with_path(fields: Mapping[str, object]) -> str:
    """The path, then the rest: for who prefers vectors that know where a chunk is to those that survive a move."""
    return "\n".join(filter(None, (_text(fields, "path"), embedded_text(fields))))


def _text(fields: Mapping[str, object], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""
