"""What is a content made of? Its chunks in order and the names that they define, as one text to be stored.

As rows they take four times the room. Every line and byte is in exactly one chunk, so lengths say where each begins.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from callsite.types import Piece
from callsite.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRow:
    """Where a chunk lies in its content."""

    ordinal: int
    type: str
    name: str
    first_line: int
    last_line: int
    start: int
    length: int
    signature: str


Symbol = tuple[int, int, str, str]  #: ordinal of the chunk, line, qualified name, kind


def packed(chunks: Sequence[ChunkRow | Piece], symbols: Sequence[Symbol]) -> str:
    """Chunks in order, without gaps, and what they define; by columns, which deflate to a fifth less than rows."""
    columns = [
        [chunk.type for chunk in chunks],
        [chunk.name for chunk in chunks],
        [chunk.last_line - chunk.first_line + 1 for chunk in chunks],
        [chunk.length for chunk in chunks],
        [chunk.signature for chunk in chunks],
        *([list(column) for column in zip(*symbols, strict=True)] or [[]] * 4),
    ]
    return json.dumps(columns, separators=(",", ":"), ensure_ascii=False)


def unpacked(stored: str) -> tuple[list[ChunkRow], list[Symbol]]:
    """What was packed; ValueError or TypeError when it is something else."""
    *columns, ordinals, lines, names, kinds = json.loads(stored)
    chunks = []
    line, start = 1, 0
    for ordinal, (type, name, n_lines, length, signature) in enumerate(zip(*columns, strict=True)):
        chunks.append(
            ChunkRow(
                ordinal=ordinal, type=type, name=name, first_line=line, last_line=line + n_lines - 1, start=start,
                length=length, signature=signature,
            )
        )  # fmt: skip
        line, start = line + n_lines, start + length
    return chunks, list(zip(ordinals, lines, names, kinds, strict=True))
