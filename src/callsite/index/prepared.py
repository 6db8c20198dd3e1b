"""What the index takes in: a content, chunked and turned into terms. Plain values, since worker processes send them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence

from callsite.text.digest import digest
from callsite.text.words import Words
from callsite.values import dataclass

_TYPE_BY_KIND = {
    "function": "function", "class": "class", "type": "class", "module": "class", "constant": "constant",
    "section": "section",
}  # fmt: skip
_DEFLATE_LEVEL = 1  # level 6 saves 12 % more and costs four times the time of a cold index


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """One content, ready to be stored. Without chunks it is skipped, and `skip` says why."""

    path: str  #: of one file that has it
    digest: str
    hint: str  #: the language that the path suggests; part of the identity, as the same bytes may be read differently
    language: str = ""
    encoding: str = ""
    n_bytes: int = 0
    text: bytes | None = None  #: deflated
    skip: str = ""
    problems: str = ""
    chunks: Sequence[
        tuple[str, str, int, int, int, int, str]
    ] = ()  #: type, name, first, last, start, length, signature
    symbols: Sequence[tuple[int, int, str, str, int]] = ()  #: ordinal, line, name, kind, depth
    name_keys: Sequence[tuple[int, int]] = ()  #: `name_key` of each symbol's last part, ordinal; sorted, no doubles
    terms: Sequence[tuple[str, str, str]] = ()  #: per chunk, as `chunk_terms` gives them


def chunk_terms(
    text: str, chunks: Iterable[tuple[str, int, int]], names: Iterable[Iterable[str]], words: Words
) -> list[tuple[str, str, str]]:
    """The terms of each chunk's lines, of the last part of each name that it defines, and of its own qualified name.

    chunks: name, first and last line of each.
    """
    lines = text.split("\n")
    return [
        (
            words.line("\n".join(lines[first - 1 : last])),
            " ".join(words[last_part(name)] for name in defined),
            words.line(own),
        )
        for (own, first, last), defined in zip(chunks, names, strict=True)
    ]


def chunk_types(types: Sequence[str], kinds: Iterable[str]) -> list[str]:
    """What the chunks of a content pass for, separated by spaces, from their types and the kinds of its symbols.

    A file so small that it is one chunk passes for whatever it defines too.
    """
    if list(types) != ["file"]:
        return list(types)
    return [" ".join(sorted({"file", *(_TYPE_BY_KIND[kind] for kind in kinds if kind in _TYPE_BY_KIND)}))]


def chunk_id(path: str, text: str, *, occurrence: int) -> str:
    """The same everywhere for the n-th chunk (from 1) of a path with this text (F: hash of path and content)."""
    parts = [path, text] + ([str(occurrence)] if occurrence > 1 else [])
    return digest("\0".join(parts))


def last_part(qualified: str) -> str:
    """The name itself of `Class.method`, `ns::name`, `a\\b`."""
    return qualified.replace("::", ".").replace("\\", ".").replace("#", ".").rsplit(".", 1)[-1] or qualified


def name_key(folded: str) -> int:
    """The number under which the places that define a name are found."""
    return zlib.crc32(folded.encode("utf-8", "surrogatepass"))


def deflate(text: str) -> bytes:
    """A text as the catalogue stores it."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"), _DEFLATE_LEVEL)
