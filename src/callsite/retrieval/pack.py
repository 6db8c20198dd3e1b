"""How do spans become what is shown? A span grows to its function, neighbours merge, the budget is never passed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from callsite.index.snapshot import ChunkRow, Snapshot
from callsite.retrieval.spans import Span

_WHOLE_FUNCTION_CHARACTERS = 4_000  # a longer one is shown by the chunk that matched
_WHOLE_FUNCTION_SHARE = 0.3  # of the budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """A range of lines of one file, with the span that brought it."""

    span: Span
    first_line: int
    last_line: int
    text: str


class Texts:
    """The lines of the contents that an answer shows, each read once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._lines: dict[int, list[str]] = {}

    def lines(self, content: int) -> list[str]:
        if content not in self._lines:
            self._lines[content] = self._snapshot.text(content).split("\n")
        return self._lines[content]

    def between(self, content: int, first_line: int, last_line: int) -> str:
        return "\n".join(self.lines(content)[first_line - 1 : last_line])


def pack(snapshot: Snapshot, spans: Iterable[Span], *, n: int, budget: int | None) -> list[Packed]:
    """At most `n` ranges, together at most `budget` characters, best first; no line is shown twice."""
    texts = Texts(snapshot)
    packed: list[Packed] = []
    left = budget
    for span in spans:
        if len(packed) >= n or (left is not None and left <= 0):
            break
        for candidate in _ranges(snapshot, texts, span, budget):
            if (fresh := _without_shown(candidate, packed, texts)) is None:
                break
            if left is None or len(fresh.text) <= left:
                packed.append(fresh)
                left = None if left is None else left - len(fresh.text)
                break
    return packed if packed or budget is None else _cut_first(texts, spans, budget)


def _ranges(snapshot: Snapshot, texts: Texts, span: Span, budget: int | None) -> Iterator[Packed]:
    """The span's whole function, then the chunk alone: the larger one that fits is shown."""
    most = (
        _WHOLE_FUNCTION_CHARACTERS
        if budget is None
        else min(_WHOLE_FUNCTION_CHARACTERS, int(_WHOLE_FUNCTION_SHARE * budget))
    )
    first, last = whole_definition(snapshot.chunks(span.ranked.file.content), span.chunk)
    whole = _range(texts, span, first, last)
    if len(whole.text) <= most:
        yield whole
    yield _range(texts, span, span.chunk.first_line, span.chunk.last_line)


def whole_definition(chunks: list[ChunkRow], chunk: ChunkRow) -> tuple[int, int]:
    """The lines of the definition that a chunk opens or continues; of the chunk alone when it was not split."""
    start = end = chunk.ordinal
    while chunks[start].signature and start > 0 and chunks[start - 1].name == chunk.name:
        start -= 1
    while end + 1 < len(chunks) and chunks[end + 1].signature and chunks[end + 1].name == chunk.name:
        end += 1
    return chunks[start].first_line, chunks[end].last_line


def _range(texts: Texts, span: Span, first: int, last: int) -> Packed:
    """The lines without blank ones at the ends."""
    lines = texts.lines(span.ranked.file.content)
    while first < last and not lines[first - 1].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return Packed(span=span, first_line=first, last_line=last, text="\n".join(lines[first - 1 : last]))


def _without_shown(candidate: Packed, packed: list[Packed], texts: Texts) -> Packed | None:
    """The candidate, cut where its file is shown already; None when nothing new is left."""
    first, last = candidate.first_line, candidate.last_line
    for other in packed:
        if other.span.ranked.file.id != candidate.span.ranked.file.id:
            continue
        if other.first_line <= first <= other.last_line:
            first = other.last_line + 1
        if other.first_line <= last <= other.last_line:
            last = other.first_line - 1
        if first > last or (first < other.first_line and other.last_line < last):
            return None
    return (
        candidate
        if (first, last) == (candidate.first_line, candidate.last_line)
        else _range(texts, candidate.span, first, last)
    )


def _cut_first(texts: Texts, spans: Iterable[Span], budget: int) -> list[Packed]:
    """The start of the best chunk, when not even that fits as a whole."""
    for span in list(spans)[:1]:
        lines = texts.lines(span.ranked.file.content)[span.chunk.first_line - 1 : span.chunk.last_line]
        kept: list[str] = []
        for line in lines:
            if sum(map(len, kept)) + len(kept) + len(line) > budget:
                break
            kept.append(line)
        if kept:
            last = span.chunk.first_line + len(kept) - 1
            return [Packed(span=span, first_line=span.chunk.first_line, last_line=last, text="\n".join(kept))]
    return []
