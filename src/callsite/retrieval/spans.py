"""Which chunks of the ranked files are shown, in which order?

A list of places shows each file once before it shows one twice. With a budget the chunks compete: what a reader gets is
the code itself, and the second function of the right file is worth more than the first of the tenth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from callsite.index.lexical import Scope
from callsite.index.snapshot import ChunkRow, Snapshot
from callsite.retrieval.candidates import Candidates, ChunkKey
from callsite.retrieval.contents import Contents
from callsite.retrieval.score import Ranked
from callsite.types import Reason

# What a chunk is worth inside its file; each part lies between 0 and about 1.
_CHUNK_WEIGHTS = {
    "words of the span": 1.0,
    "names it defines": 0.6,
    "where it lies": 1.0,
    "definition asked for": 0.2,
    "line named": 1.0,
}
_FILE_WEIGHT = 1.0  # of the file's standing, against one for the best chunk
_FILE_POWER = 2.0  # a file with 70 % of the best score stands for half
_FURTHER_DECAY = 0.5  # in a list: a file's second chunk counts half, its third a quarter
_LEGS = (("words of the span", "words"), ("names it defines", "symbols"), ("where it lies", "path"))
_COMPETING_FILES = 30
_CHUNKS_OF_FILES = 3_000
_FURTHER_CHUNKS = 8

Worth = Mapping[str, Mapping[ChunkKey, float]]  #: label → chunk → value


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A chunk of a ranked file, with its own score and reasons."""

    ranked: Ranked
    chunk: ChunkRow
    score: float
    reasons: tuple[Reason, ...]


def list_spans(
    snapshot: Snapshot, contents: Contents, found: Candidates, ranked: list[Ranked], *, types: tuple[str, ...]
) -> list[Span]:
    """The best chunk of each file in the order of the files, further chunks where they score."""
    spans: list[Span] = []
    for one, chunks in _chunks_by_file(snapshot, contents, found, ranked, types):
        best = max(chunks[0][1], 1e-9)
        spans.append(Span(ranked=one, chunk=chunks[0][0], score=one.score, reasons=one.reasons))
        for n, (chunk, value, _) in enumerate(chunks[1:_FURTHER_CHUNKS], 1):
            if value > 0:
                spans.append(_further(one, chunk, _FURTHER_DECAY**n * value / best))
    return sorted(spans, key=lambda span: -span.score)


def competing_spans(
    snapshot: Snapshot, contents: Contents, found: Candidates, ranked: list[Ranked], *, types: tuple[str, ...]
) -> list[Span]:
    """All chunks of the best files, each by its file's standing and its own worth."""
    spans: list[Span] = []
    most = max((one.score for one in ranked), default=0.0)
    for one, chunks in _chunks_by_file(snapshot, contents, found, ranked[:_COMPETING_FILES], types):
        standing = _FILE_WEIGHT * max(0.0, one.score / most) ** _FILE_POWER if most > 0 else 0.0
        file = Reason(label="standing of the file", value=standing, detail=_said(one.reasons))
        for chunk, value, reasons in chunks:
            if value > 0 or len(chunks) == 1:
                spans.append(Span(ranked=one, chunk=chunk, score=standing + value, reasons=(file, *reasons)))
    return sorted(spans, key=lambda span: -span.score)


def _chunks_by_file(
    snapshot: Snapshot, contents: Contents, found: Candidates, ranked: list[Ranked], types: tuple[str, ...]
) -> list[tuple[Ranked, list[tuple[ChunkRow, float, tuple[Reason, ...]]]]]:
    """The chunks of each file with their worth, best first."""
    worth = _worth(snapshot, found, [one.file.id for one in ranked])
    by_file = []
    for one in ranked:
        judged = [
            _judged(chunk, (one.file.id, chunk.ordinal), worth, found.lines.get(one.file.id, ()))
            for chunk in contents.chunks(one.file.content)
            if not types or chunk.type in types
        ]
        if judged:
            by_file.append((one, sorted(judged, key=lambda j: (-j[1], j[0].ordinal))))
    return by_file


def _worth(snapshot: Snapshot, found: Candidates, files: list[int]) -> Worth:
    """What the question finds in the chunks of these files; their scores are comparable across the files."""
    terms, scope = found.question.terms, Scope(only=files)
    legs: dict[str, dict[ChunkKey, float]] = {"definition asked for": dict(found.defining_chunks)}
    for label, field in _LEGS:
        hits = snapshot.lexical.search_chunks(terms, fields={field: 1.0}, scope=scope, limit=_CHUNKS_OF_FILES)
        most = max((score for _, _, score in hits), default=1.0)
        legs[label] = {(file, ordinal): score / most for file, ordinal, score in hits}
    return legs


def _judged(
    chunk: ChunkRow, key: ChunkKey, worth: Worth, lines: tuple[int, ...]
) -> tuple[ChunkRow, float, tuple[Reason, ...]]:
    values = {label: values.get(key, 0.0) for label, values in worth.items()}
    values["line named"] = float(any(chunk.first_line <= line <= chunk.last_line for line in lines))
    reasons = tuple(
        Reason(label=label, value=_CHUNK_WEIGHTS[label] * value) for label, value in values.items() if value
    )
    return chunk, sum(reason.value for reason in reasons), reasons


def _further(ranked: Ranked, chunk: ChunkRow, share: float) -> Span:
    score = ranked.score * share if ranked.score > 0 else ranked.score - 1 + share
    reason = Reason(label="another span of the file", value=score - ranked.score)
    return Span(ranked=ranked, chunk=chunk, score=score, reasons=(*ranked.reasons, reason))


def _said(reasons: tuple[Reason, ...]) -> str:
    return ", ".join(f"{reason.label} {reason.value:+.2f}" for reason in reasons)
