"""Which chunks of the ranked files are shown, in which order?

A list of places goes by files: the best chunk of each, its further ones at a decayed score. With a budget the chunks
compete: what a reader gets is the code itself, and the second function of the right file is worth more than the first
of the tenth.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from callsite.index.lexical import ORDINAL_BITS, ORDINALS, ChunkKey
from callsite.index.outline import ChunkRow
from callsite.index.query import Scope
from callsite.index.snapshot import Snapshot
from callsite.retrieval.candidates import Candidates
from callsite.retrieval.contents import Contents
from callsite.retrieval.places import Pointed, meant_chunks
from callsite.retrieval.score import Ranked
from callsite.types import Reason
from callsite.values import dataclass, replace

# What a chunk is worth inside its file; each part lies between 0 and about 1.
_CHUNK_WEIGHTS = {
    "words of the span": 1.0,
    "where it lies": 0.8,
    "definition asked for": 0.2,
    "pointed at": 2.0,
}
_LEGS = {"words of the span": "words", "where it lies": "path"}
#: Kinds of places that are worth nothing by themselves: the part which tells of them.
_SAID_OF = {"recorded": "recorded", "failing test": "words of the span"}
_IMPORTS_SHARE = 0.5  # imports say what a file uses, not what it does
_BARE_HEAD_SHARE = 0.6  # the head of a class that is split at its methods, when it is little more than the name
_BARE_HEAD_BYTES = 250
_NO_FUNCTION_SHARE = 0.6  # for reports: nine of ten places that fixes change are functions, three of ten chunks are not
_BESIDE_THE_CODE = frozenset({"tests", "docs", "examples"})  # they repeat the words of the code that they are about
_BESIDE_SHARE = 0.5
_MOST_BOOST = 4.0  # of a chunk that a recording went through, at weight 1
_FILE_WEIGHT = 0.75  # of the file's standing, against one for the best chunk
_FILE_POWER = 2.0  # a file with 70 % of the best score stands for half
_FURTHER_DECAY = 0.5  # in a list: a file's second chunk counts half, its third a quarter
_COMPETING_FILES = 30
_CHUNKS_PER_FILE = 40
_FURTHER_CHUNKS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What the question finds in the chunks of the ranked files."""

    parts: Mapping[str, Mapping[ChunkKey, float]]  #: label → chunk → weighted value
    totals: Mapping[int, dict[int, float]]  #: file → ordinal → the sum of its parts
    said: Mapping[tuple[str, ChunkKey], str]  #: what evidence says of a part


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A chunk of a ranked file, with its own score and what that is made of."""

    ranked: Ranked
    ordinal: int
    score: float
    worth: Worth | None  #: of a competing chunk; None in a list, where the file's reasons and `further` add up
    further: float = 0.0  #: what a file's second and later chunks lack of its score

    def reasons(self) -> tuple[Reason, ...]:
        """The parts of the score, adding up to it."""
        if self.worth is None:
            lack = (Reason(label="another span of the file", value=self.further),) if self.further else ()
            return (*self.ranked.reasons, *lack)
        of_file = ", ".join(f"{reason.label} {reason.value:+.2f}" for reason in self.ranked.reasons)
        key = self.ranked.file.id << ORDINAL_BITS | self.ordinal
        parts = {label: values[key] for label, values in self.worth.parts.items() if key in values}
        standing = Reason(label="standing of the file", value=self.score - sum(parts.values()), detail=of_file)
        said = self.worth.said
        return (
            standing,
            *(Reason(label=label, value=value, detail=said.get((label, key), "")) for label, value in parts.items()),
        )


def list_spans(
    snapshot: Snapshot, contents: Contents, found: Candidates, ranked: Sequence[Ranked], *, types: tuple[str, ...]
) -> list[Span]:
    """The best chunk of each file in the order of the files, further chunks where they score."""
    worth = _worth(snapshot, contents, found, ranked, types)
    spans: list[Span] = []
    for one in ranked:
        values = worth.totals.get(one.file.id, {})
        if not values and types:
            continue
        order = sorted(values, key=lambda ordinal: (-values[ordinal], ordinal))[:_FURTHER_CHUNKS] or [0]
        spans.append(Span(ranked=one, ordinal=order[0], score=one.score, worth=None))
        for n, ordinal in enumerate(order[1:], 1):
            share = _FURTHER_DECAY**n * values[ordinal] / values[order[0]]
            score = one.score * share if one.score > 0 else one.score - 1 + share
            spans.append(Span(ranked=one, ordinal=ordinal, score=score, worth=None, further=score - one.score))
    return sorted(spans, key=lambda span: -span.score)


def competing_spans(
    snapshot: Snapshot, contents: Contents, found: Candidates, ranked: Sequence[Ranked], *, types: tuple[str, ...]
) -> list[Span]:
    """All matching chunks of the best files, each by its file's standing and its own worth."""
    ranked = ranked[:_COMPETING_FILES]
    most = max((one.score for one in ranked), default=0.0)
    worth = _worth(snapshot, contents, found, ranked, types)
    heads = _heads_of_parts(contents, ranked, worth.totals, types)
    worth = replace(worth, parts={**worth.parts, "head of a part": heads})
    spans: list[Span] = []
    for one in ranked:
        standing = _FILE_WEIGHT * max(0.0, one.score / most) ** _FILE_POWER if most > 0 else 0.0
        chunks = worth.totals.get(one.file.id) or ({} if types else {0: 0.0})
        for ordinal, value in sorted(chunks.items()):  # of a head and its part, of equal worth, the head first
            spans.append(Span(ranked=one, ordinal=ordinal, score=standing + value, worth=worth))
    return sorted(spans, key=lambda span: -span.score)


def _worth(
    snapshot: Snapshot, contents: Contents, found: Candidates, ranked: Sequence[Ranked], types: tuple[str, ...]
) -> Worth:
    """What each chunk is worth in which the question finds something."""
    scope = Scope(only=[one.file.id for one in ranked], types=types)
    parts: dict[str, Mapping[ChunkKey, float]] = {}
    for label, field in _LEGS.items():
        hits = snapshot.lexical.search_chunks(
            found.question.terms, field=field, scope=scope, limit=_CHUNKS_PER_FILE * len(ranked)
        )
        unit = _CHUNK_WEIGHTS[label] / max(hits.values(), default=1.0)
        parts[label] = {key: unit * score for key, score in hits.items()}
    if not types:
        weight, among = _CHUNK_WEIGHTS["definition asked for"], {one.file.id for one in ranked}
        asked_for = found.defining_chunks.items()
        parts["definition asked for"] = {
            key: weight * value for key, value in asked_for if key >> ORDINAL_BITS in among
        }
    totals = _totals(parts)
    pointed = _pointed_at(contents, found, ranked)
    recorded = {key: one.weight for (kind, key), one in pointed.items() if kind == "recorded"}
    parts["recorded"] = _boosted(totals, recorded)
    if not types:
        weight = _CHUNK_WEIGHTS["pointed at"]
        parts["pointed at"] = {key: weight * one.weight for (kind, key), one in pointed.items() if kind not in _SAID_OF}
        for key, value in parts["pointed at"].items():
            totals[key >> ORDINAL_BITS][key & ORDINALS] += value
    parts["around the code"] = _around_the_code(contents, found, ranked, totals)
    said = {(_SAID_OF.get(kind, "pointed at"), key): one.said for (kind, key), one in pointed.items()}
    return Worth(parts=parts, totals=totals, said=said)


def _totals(parts: Mapping[str, Mapping[ChunkKey, float]]) -> dict[int, dict[int, float]]:
    totals: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for values in parts.values():
        for key, value in values.items():
            totals[key >> ORDINAL_BITS][key & ORDINALS] += value
    return totals


def _around_the_code(
    contents: Contents, found: Candidates, ranked: Sequence[Ranked], totals: Mapping[int, dict[int, float]]
) -> dict[ChunkKey, float]:
    """What stands around the code matches easily and shows little: what each such chunk loses of its worth."""
    losses: dict[ChunkKey, float] = {}
    beside = _BESIDE_THE_CODE - found.question.asks
    share_of_others = _NO_FUNCTION_SHARE if found.question.is_report else 1.0
    for one in ranked:
        chunks, values = contents.chunks(one.file.content), totals.get(one.file.id, {})
        share_of_file = 1.0 if beside.isdisjoint(one.file.shelves) else _BESIDE_SHARE
        for ordinal, value in values.items():
            chunk = chunks[ordinal]
            share = share_of_file if chunk.type == "function" else share_of_file * share_of_others * _share(chunk)
            if share < 1.0:
                losses[one.file.id << ORDINAL_BITS | ordinal] = (share - 1.0) * value
                values[ordinal] = share * value
    return losses


def _share(chunk: ChunkRow) -> float:
    """Imports and bare heads match by being short and full of names."""
    if chunk.type == "imports":
        return _IMPORTS_SHARE
    return _BARE_HEAD_SHARE if chunk.type == "class" and chunk.length < _BARE_HEAD_BYTES else 1.0


def _boosted(totals: Mapping[int, dict[int, float]], weights: Mapping[ChunkKey, float]) -> dict[ChunkKey, float]:
    """What a factor adds to the chunks that match: evidence multiplies, so that what doesn't match stays out (S5)."""
    added: dict[ChunkKey, float] = {}
    for key, weight in weights.items():
        values, ordinal = totals.get(key >> ORDINAL_BITS, {}), key & ORDINALS
        if ordinal in values:
            added[key] = (_MOST_BOOST - 1.0) * weight * values[ordinal]
            values[ordinal] += added[key]
    return added


def _heads_of_parts(
    contents: Contents, ranked: Sequence[Ranked], totals: Mapping[int, dict[int, float]], types: tuple[str, ...]
) -> dict[ChunkKey, float]:
    """The head of a long function counts as much as its best part, as it says whose part that is: what it gains."""
    gains: dict[ChunkKey, float] = defaultdict(float)
    for one in ranked:
        chunks, values = contents.chunks(one.file.content), totals.get(one.file.id, {})
        for ordinal, value in list(values.items()):
            head = first_part(chunks, ordinal)
            if value > (own := values.get(head, 0.0)) and (not types or chunks[head].type in types):
                gains[one.file.id << ORDINAL_BITS | head] += value - own
                values[head] = value
    return gains


def first_part(chunks: Sequence[ChunkRow], ordinal: int) -> int:
    """The chunk that opens the definition which a chunk continues; the chunk itself when it continues none."""
    while ordinal > 0 and chunks[ordinal].signature and chunks[ordinal - 1].name == chunks[ordinal].name:
        ordinal -= 1
    return ordinal


def _pointed_at(contents: Contents, found: Candidates, ranked: Sequence[Ranked]) -> dict[tuple[str, ChunkKey], Pointed]:
    """The chunks of the functions and lines that are pointed at: kind and chunk → the heaviest that does."""
    heaviest: dict[tuple[str, ChunkKey], Pointed] = {}
    for one in ranked:
        for pointed in found.pointed.get(one.file.id, ()):
            for chunk in meant_chunks(contents.chunks(one.file.content), pointed):
                key = pointed.kind, one.file.id << ORDINAL_BITS | chunk.ordinal
                if key not in heaviest or heaviest[key].weight < pointed.weight:
                    heaviest[key] = pointed
    return heaviest
