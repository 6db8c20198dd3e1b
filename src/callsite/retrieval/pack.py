"""How do spans become what is shown? A span grows to its function, neighbours merge, the budget is never passed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from callsite.index.outline import ChunkRow
from callsite.retrieval.contents import Contents
from callsite.retrieval.spans import Span, first_part
from callsite.values import dataclass, replace

_WHOLE_FUNCTION_CHARACTERS = 2_500  # a longer one is shown by the chunk that matched
_WHOLE_IN_BUDGET_CHARACTERS = 1_500  # where its parts compete with those of other functions
_WHOLE_FUNCTION_SHARE = 0.3  # of the budget
_JOINED_CHARACTERS = 2_500  # neighbours beyond stay hits of their own, so that a late one does not swell an early one
_GAP_LINES = 2  # blank lines over which neighbours merge
_LEAST_ROOM = 40  # characters: less than a line is not worth a look at hundreds of spans


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """A range of lines of one file, with the span that brought it."""

    span: Span
    first_line: int
    last_line: int
    text: str


def pack(contents: Contents, spans: Sequence[Span], *, n: int, budget: int | None) -> list[Packed]:
    """At most `n` ranges, together at most `budget` characters, best first; no line is shown twice."""
    packed: list[Packed] = []
    left = budget
    for span in spans:
        if len(packed) >= n or (packed and left is not None and left < _LEAST_ROOM):
            break
        for candidate in _ranges(contents, span, budget):
            fresh = _without_shown(contents, candidate, packed)
            if fresh is None:
                continue
            whole, joined = _with_neighbours(contents, fresh, packed)
            cost = len(whole.text) - sum(len(other.text) for other in joined)
            if left is None or cost <= left:
                packed = _replaced(packed, joined, whole)
                left = None if left is None else left - cost
                break
    return packed if packed or budget is None else _start_of_best(contents, spans, budget)


def _ranges(contents: Contents, span: Span, budget: int | None) -> Iterator[Packed]:
    """The span's whole function, then the chunk alone: the larger one that fits is shown."""
    most = _WHOLE_FUNCTION_CHARACTERS
    if budget is not None:
        most = min(_WHOLE_IN_BUDGET_CHARACTERS, int(_WHOLE_FUNCTION_SHARE * budget))
    chunks = contents.chunks(span.ranked.file.content)
    chunk = chunks[span.ordinal]
    first, last = whole_definition(chunks, chunk)
    whole = _range(contents, span, first, last)
    if len(whole.text) <= most:
        yield whole
    yield _range(contents, span, chunk.first_line, chunk.last_line)


def whole_definition(chunks: list[ChunkRow], chunk: ChunkRow) -> tuple[int, int]:
    """The lines of the definition that a chunk opens or continues; of the chunk alone when it was not split."""
    start, end = first_part(chunks, chunk.ordinal), chunk.ordinal
    while end + 1 < len(chunks) and chunks[end + 1].signature and chunks[end + 1].name == chunk.name:
        end += 1
    return chunks[start].first_line, chunks[end].last_line


def _range(contents: Contents, span: Span, first: int, last: int) -> Packed:
    """The lines without blank ones at the ends."""
    content = span.ranked.file.content
    lines = contents.lines(content)
    while first < last and not lines[first - 1].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return Packed(span=span, first_line=first, last_line=last, text=contents.between(content, first, last))


def _without_shown(contents: Contents, candidate: Packed, packed: list[Packed]) -> Packed | None:
    """The candidate, cut where its file is shown already; None when nothing new is left."""
    first, last = candidate.first_line, candidate.last_line
    for other in _of_same_file(candidate, packed):
        if other.first_line <= first <= other.last_line:
            first = other.last_line + 1
        if other.first_line <= last <= other.last_line:
            last = other.first_line - 1
        if first > last or (first < other.first_line and other.last_line < last):
            return None
    if (first, last) == (candidate.first_line, candidate.last_line):
        return candidate
    rest = _range(contents, candidate.span, first, last)
    return rest if rest.text.strip() else None


def _of_same_file(one: Packed, packed: list[Packed]) -> list[Packed]:
    return [other for other in packed if other.span.ranked.file.id == one.span.ranked.file.id]


def _with_neighbours(contents: Contents, fresh: Packed, packed: list[Packed]) -> tuple[Packed, list[Packed]]:
    """The range with what it touches above and below, and the ranges that it thus takes in."""
    whole, joined = fresh, list[Packed]()
    while (other := _neighbour(contents, whole, [one for one in packed if one not in joined])) is not None:
        larger = _joined(contents, other, whole)
        if len(larger.text) > _JOINED_CHARACTERS:
            break
        whole, joined = larger, [*joined, other]
    return whole, joined


def _replaced(packed: list[Packed], joined: list[Packed], whole: Packed) -> list[Packed]:
    """`whole` at the place, and under the span, of the first range that it takes in; at the end when there is none."""
    if not joined:
        return [*packed, whole]
    first = next(one for one in packed if one in joined)
    whole = replace(whole, span=first.span)
    return [whole if one is first else one for one in packed if one is first or one not in joined]


def _neighbour(contents: Contents, fresh: Packed, packed: list[Packed]) -> Packed | None:
    """A range that ends where this one begins, or begins where it ends, blank lines aside."""
    content = fresh.span.ranked.file.content
    for other in _of_same_file(fresh, packed):
        end, start = sorted([(fresh.first_line, fresh.last_line), (other.first_line, other.last_line)])
        gap = (end[1] + 1, start[0] - 1)
        if gap[1] - gap[0] < _GAP_LINES and not contents.between(content, *gap).strip():
            return other
    return None


def _joined(contents: Contents, one: Packed, other: Packed) -> Packed:
    """Both ranges and what lies between, under the span that was there first."""
    first, last = min(one.first_line, other.first_line), max(one.last_line, other.last_line)
    text = contents.between(one.span.ranked.file.content, first, last)
    return Packed(span=one.span, first_line=first, last_line=last, text=text)


def _start_of_best(contents: Contents, spans: Sequence[Span], budget: int) -> list[Packed]:
    """The first lines of the best chunk, when not even that fits as a whole."""
    for span in spans[:1]:
        content = span.ranked.file.content
        chunk = contents.chunks(content)[span.ordinal]
        first, last, left = chunk.first_line, chunk.first_line - 1, budget + 1
        for line in contents.lines(content)[chunk.first_line - 1 : chunk.last_line]:
            if (left := left - len(line) - 1) < 0:
                break
            last += 1
        text = contents.between(content, first, last)
        if text.strip():
            return [Packed(span=span, first_line=first, last_line=last, text=text)]
    return []
