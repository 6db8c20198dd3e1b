"""What is in one file? The door of this room; the way from bytes to pieces is read in when the first file comes."""

from __future__ import annotations

from callsite.types import Piece
from callsite.values import dataclass

#: Part of the key under which pieces are kept: raised whenever the same file gives other pieces.
VERSION = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """One file, read: its text and the pieces that cover every line of it once, in order."""

    language: str
    text: str
    encoding: str
    pieces: tuple[Piece, ...]
    problems: tuple[str, ...] = ()


def analyse(path: str, data: bytes) -> Analysis:
    """The pieces of a file; whatever its content is, it never fails and never takes long."""
    from .chunker import chunked  # a search that finds nothing changed never needs it

    language, decoded, pieces, problems = chunked(path, data)
    return Analysis(language=language, text=decoded.text, encoding=decoded.encoding, pieces=pieces, problems=problems)
