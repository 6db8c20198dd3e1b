"""Why is this place in the answer, why not that one? The same ranking, asked about one place."""

from __future__ import annotations

from collections.abc import Sequence

from callsite.index.snapshot import File, Snapshot
from callsite.retrieval.pipeline import Ranking, answer
from callsite.text.words import Words
from callsite.types import Explanation, Hit

_MAX_HITS = 200


def explain_place(
    snapshot: Snapshot, ranking: Ranking, words: Words, *, path: str, line: int, types: tuple[str, ...] = ()
) -> Explanation:
    """The verdict on one place; `line` 0 means the whole file."""
    file = next((id for id, shown in snapshot.paths().items() if shown == path), None)
    if file is None:
        return Explanation(path=path, line=line, verdict=f"{path} is not in this view of the repository")
    reason = dict(snapshot.skipped()).get(path)
    if reason:
        return Explanation(path=path, line=line, verdict=f"{path} is not searched: {reason}")
    hits = answer(snapshot, ranking, n=_MAX_HITS, budget=None, types=types)
    searchable = snapshot.files([file])[file]
    matched, missing = _terms(snapshot, searchable, ranking, words)
    at = _rank(hits, path, line)
    position = next((n for n, ranked in enumerate(ranking.files, 1) if ranked.file.id == file), 0)
    return Explanation(
        path=path,
        line=line,
        verdict=_verdict(path, line, hits, at, position, len(ranking.files), matched),
        rank=at,
        hit=hits[at - 1] if at else next((hit for hit in hits if hit.path == path), None),
        first=hits[0] if hits else None,
        matched=matched,
        missing=missing,
    )


def _rank(hits: Sequence[Hit], path: str, line: int) -> int:
    for n, hit in enumerate(hits, 1):
        if hit.path == path and (not line or hit.first_line <= line <= hit.last_line):
            return n
    return 0


def _verdict(
    path: str, line: int, hits: Sequence[Hit], rank: int, position: int, n_files: int, matched: Sequence[str]
) -> str:
    if rank:
        return f"hit {rank} of {len(hits)}; its file is number {position} of {n_files} that came into question"
    if position and any(hit.path == path for hit in hits):
        return f"the file is number {position} of {n_files}, but other spans of it answer better than line {line}"
    if position:
        return f"the file is number {position} of {n_files}: its score is too low to be shown"
    if not matched:
        return "no term of the question occurs in the file, its path or the names that it defines"
    return "the file holds terms of the question, but filters exclude it or hundreds of files match better"


def _terms(snapshot: Snapshot, file: File, ranking: Ranking, words: Words) -> tuple[tuple[str, ...], tuple[str, ...]]:
    held = set(words.terms(snapshot.text(file.content))) | set(words.terms(file.path))
    asked = ranking.question.said
    return tuple(term for term in asked if term in held), tuple(term for term in asked if term not in held)
