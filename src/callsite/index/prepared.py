"""What the index takes in: a content, chunked and turned into terms. Plain values, since worker processes send them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache

from callsite.text.digest import digest
from callsite.text.words import Words
from callsite.values import dataclass

_TYPE_BY_KIND = {
    "function": "function", "class": "class", "type": "class", "module": "class", "constant": "constant",
    "section": "section",
}  # fmt: skip
_FOUR_BYTES = (1 << 31) - 1
_HALF = 15  # bits of a checksum: enough among the few places that define one name
_HALF_MASK = (1 << _HALF) - 1
MOST_SAMPLES = 32
_FEWEST_SAMPLES = 4
_PIECE = 256  # bytes
_DEFLATE_LEVEL = 5  # level 1 takes 9 % more room and a quarter less time, which is 2 % of a cold index

ChunkTerms = Sequence[tuple[str, str, str, str]]  #: per chunk: its types, and what `chunk_terms` gives


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
    outline: bytes | None = None  #: deflated
    names: Sequence[tuple[int, int, int]] = ()  #: of what is defined: `name_key`, ordinal, `name_form`; no doubles
    terms: ChunkTerms = ()


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
    return _parts(qualified)[1]


@lru_cache(maxsize=4_096)  # each symbol of a file is asked for three times
def _parts(qualified: str) -> tuple[str, str]:
    """The last part of the owner, and the name itself."""
    around, _, own = qualified.replace("::", ".").replace("\\", ".").replace("#", ".").rpartition(".")
    return around.rpartition(".")[2], own or qualified


def owner(qualified: str) -> str:
    """The last part of what a name belongs to: `Class` of `Class.method`; "" for a name alone."""
    return _parts(qualified)[0]


def name_key(folded: str) -> int:
    """The number under which the places that define a name are found: 31 bits, as SQLite stores in four bytes."""
    return path_key(folded.encode("utf-8", "surrogatepass"))


def path_key(path: bytes) -> int:
    """The number under which a path is found, of 31 bits too."""
    return zlib.crc32(path) & _FOUR_BYTES


def name_form(qualified: str, *, is_nested: bool) -> int:
    """What tells places that define one name apart, so that names need not be stored: 31 bits.

    Half of the checksum of the last part as it is written, half of that of its owner (0 for none), and the nesting.
    """
    around, own = _parts(qualified)
    return (written_key(own) << _HALF | written_key(around)) << 1 | is_nested


def written_key(name: str) -> int:
    """Half of the checksum of a name as it is written: 15 bits, 0 for none."""
    return name_key(name) & _HALF_MASK


def form_parts(form: int) -> tuple[int, int, bool]:
    """What `name_form` was made of: `written_key` of the last part and of the owner, and the nesting."""
    return form >> _HALF + 1, form >> 1 & _HALF_MASK, bool(form & 1)


def deflate(text: str, dictionary: bytes = b"") -> bytes:
    """A text as the catalogue stores it; what the dictionary holds too takes hardly any room."""
    packer = _packer(dictionary).copy()
    return packer.compress(text.encode("utf-8", "surrogatepass")) + packer.flush()


@lru_cache(maxsize=2)  # taking a dictionary in costs as much as a small text
def _packer(dictionary: bytes) -> zlib._Compress:
    return zlib.compressobj(_DEFLATE_LEVEL, zdict=dictionary) if dictionary else zlib.compressobj(_DEFLATE_LEVEL)


def dictionary_of(samples: Iterable[bytes]) -> bytes:
    """What texts like these have in common, for `deflate`: how they begin, and some of their midst."""
    pieces = [data[:_PIECE] + data[len(data) // 2 :][:_PIECE] for data in samples if b"\0" not in data]
    return b"".join(pieces[:MOST_SAMPLES]) if len(pieces) >= _FEWEST_SAMPLES else b""
