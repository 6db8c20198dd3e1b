"""Which recorded requests and statements answer a question? They compete with code by score; no room is kept for them.

One of them is worth the standing of its recording, as code is worth that of its file, and the share of the question
that it says, weighed by how rare each term is in the code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from callsite.evidence.values import DataRequest
from callsite.index.query import Scope
from callsite.index.snapshot import Snapshot
from callsite.retrieval.candidates import in_scope
from callsite.retrieval.landing import land_recorded
from callsite.retrieval.places import path_index
from callsite.text.words import Words
from callsite.types import DATA_REQUEST, Hit, Reason

_LEAST_SHARE = 0.3  # of the question; a statement that says less of it is another's
_SAID = 2.0  # for saying all of the question; code reaches about as much by its words, names and place
_UNHEARD = 0.5  # of the weight of a term that no code has: reports hold words about other things


def request_hits(
    snapshot: Snapshot, requests: Sequence[DataRequest], asked: Mapping[str, float], words: Words, *, scope: Scope
) -> list[Hit]:
    """Hits of type data-request, best first; located by recording and event, with the code behind them.

    When the scope leaves out files, some of that code has to lie in it (S14).
    """
    requests = [one for one in requests if _is_in_scope(snapshot, one, scope)]
    rarity = {term: weight * snapshot.lexical.rarity(term) for term, weight in asked.items()}
    said = [(one, set(words.terms(one.text))) for one in requests]
    known = set().union(*(terms for _, terms in said)) if said else set()
    reachable = sum(value if term in known else _UNHEARD * value for term, value in rarity.items()) or 1.0
    hits = []
    for one, terms in said:
        share = sum(value for term, value in rarity.items() if term in terms) / reachable
        if share >= _LEAST_SHARE:
            hits.append(_hit(snapshot, one, share))
    return sorted(hits, key=lambda hit: (-hit.score, hit.name))


def _is_in_scope(snapshot: Snapshot, one: DataRequest, scope: Scope) -> bool:
    if scope.only is None and not scope.folder and not scope.languages:
        return True
    index = snapshot.once(path_index)
    files = {file for function in one.functions for file in index.written(function.path)}
    return bool(in_scope(snapshot.files(files), scope))


def merged(code: Sequence[Hit], requests: Sequence[Hit], *, n: int, budget: int) -> list[Hit]:
    """Both by score, at most `n` and `budget` characters; what doesn't fit any more is left out."""
    kept: list[Hit] = []
    for hit in sorted([*code, *requests], key=lambda hit: -hit.score):
        if len(kept) < n and len(hit.text) <= budget:
            kept.append(hit)
            budget -= len(hit.text)
    return kept


def _hit(snapshot: Snapshot, one: DataRequest, share: float) -> Hit:
    landings = land_recorded(snapshot, one.functions)
    places = [f"{landing.path}:{landing.first_line}" if landing.path else landing.written for landing in landings]
    behind = [f"{place} {landing.function}".strip() for place, landing in zip(places, landings, strict=True)]
    reasons = (
        Reason(label="standing of the recording", value=one.weight, detail=one.recording),
        Reason(label="words of the request", value=_SAID * share),
    )
    return Hit(
        path=one.file,
        first_line=0,
        last_line=0,
        type=DATA_REQUEST,
        name=one.title.partition("\n")[0],
        language="sql" if one.kind == "query" else "http",
        score=sum(reason.value for reason in reasons),
        reasons=reasons,
        source=f"{one.file}:event {one.event}",
        text="\n".join([one.title, *(f"-- {place}" for place in behind)]),
    )
