"""Which chunks of the ranked files are shown, in which order? One of each file first, then more where it pays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from callsite.index.snapshot import ChunkRow, Snapshot
from callsite.retrieval.candidates import Candidates
from callsite.retrieval.score import Ranked
from callsite.types import Reason

_DEFINITION_SHARE = 0.35  # of a chunk's worth, against 1 for its words
_LINE_SHARE = 1.0  # a line that the question names says which chunk is meant
_FURTHER_DECAY = 0.5  # a file's second chunk counts half, its third a quarter
_MAX_FILES = 60  # whose chunks are looked at
_MAX_CHUNKS_OF_FILE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A chunk of a ranked file, with its own score and reasons."""

    ranked: Ranked
    chunk: ChunkRow
    score: float
    reasons: tuple[Reason, ...]


def choose_spans(snapshot: Snapshot, found: Candidates, ranked: list[Ranked], *, types: tuple[str, ...]) -> list[Span]:
    """The chunks of the best files, best first."""
    worth = _chunk_worth(found)
    spans: list[Span] = []
    for one in ranked[:_MAX_FILES]:
        chunks = [c for c in snapshot.chunks(one.file.content) if not types or c.type in types]
        if chunks:
            spans += _spans_of_file(one, chunks, worth.get(one.file.id, {}), found.lines.get(one.file.id, ()))
    spans.sort(key=lambda span: -span.score)
    return spans


def _chunk_worth(found: Candidates) -> Mapping[int, dict[int, float]]:
    """File → ordinal → words (0 to 1) and definitions of mentioned names."""
    worth: dict[int, dict[int, float]] = defaultdict(dict)
    most = max(found.chunks.values(), default=1.0)
    for (file, ordinal), score in found.chunks.items():
        worth[file][ordinal] = score / most
    for (file, ordinal), value in found.defining_chunks.items():
        worth[file][ordinal] = worth[file].get(ordinal, 0.0) + _DEFINITION_SHARE * value
    return worth


def _spans_of_file(
    ranked: Ranked, chunks: list[ChunkRow], worth: dict[int, float], lines: tuple[int, ...]
) -> list[Span]:
    values = {chunk.ordinal: worth.get(chunk.ordinal, 0.0) + _LINE_SHARE * _holds(chunk, lines) for chunk in chunks}
    order = sorted(chunks, key=lambda chunk: (-values[chunk.ordinal], chunk.ordinal))
    best = max(values[order[0].ordinal], 1e-9)
    first = Span(ranked=ranked, chunk=order[0], score=ranked.score, reasons=ranked.reasons)
    further = [
        _further(ranked, chunk, _FURTHER_DECAY**n * values[chunk.ordinal] / best)
        for n, chunk in enumerate(order[1:_MAX_CHUNKS_OF_FILE], 1)
        if values[chunk.ordinal] > 0
    ]
    return [first, *further]


def _holds(chunk: ChunkRow, lines: tuple[int, ...]) -> bool:
    return any(chunk.first_line <= line <= chunk.last_line for line in lines)


def _further(ranked: Ranked, chunk: ChunkRow, share: float) -> Span:
    score = ranked.score * share if ranked.score > 0 else ranked.score - 1 + share
    reason = Reason(label="another span of the file", value=score - ranked.score)
    return Span(ranked=ranked, chunk=chunk, score=score, reasons=(*ranked.reasons, reason))
