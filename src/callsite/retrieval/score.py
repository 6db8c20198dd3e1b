"""What is each file worth, and why? Signals between 0 and 1, times their weights; every part is a Reason."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping

from callsite.index.lexical import ORDINAL_BITS
from callsite.index.snapshot import File, View
from callsite.retrieval.candidates import Candidates
from callsite.retrieval.weights import FIRST_THREE, FIRST_THREE_SHARE, NAME, QUESTION, REPORT, TIDYING
from callsite.text.paths import SHELVES, PathTerms
from callsite.types import Reason
from callsite.values import dataclass

Signals = Mapping[str, Mapping[int, float]]  #: label → file → value between 0 and 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A file with its score, which is the sum of its reasons."""

    file: File
    score: float
    reasons: tuple[Reason, ...]


def signals_of(found: Candidates, view: View, path_terms: PathTerms) -> Signals:
    """All signals, in the order in which they are explained."""
    return {
        **{name: scaled(leg) for name, leg in found.legs.items()},
        **shares_of_path(found, path_terms),
        "definition": scaled(found.definitions),
        "defining chunk": scaled(_defining_chunks(found)),
        **found.places,
        **shelves_of(found),
        "size": sizes(found, view),
    }


def scaled(scores: Mapping[int, float]) -> dict[int, float]:
    """Scores divided by the largest."""
    most = max(scores.values(), default=0.0)
    return {file: score / most for file, score in scores.items()} if most > 0 else {}


def shares_of_path(found: Candidates, path_terms: PathTerms) -> dict[str, dict[int, float]]:
    """How much of a file's name, and of its folders' names, the question says.

    A folder's words count by the share of candidates that they set apart: a folder that all share says nothing.
    """
    asked = frozenset(found.question.title_terms)
    names: dict[int, float] = {}
    files_in: dict[str, list[int]] = defaultdict(list)
    n_asked = len(found.question.said) if found.question.is_identifier else 1
    for id, file in found.files.items():
        name, folder = path_terms[file.path]
        files_in[folder].append(id)
        if not asked.isdisjoint(name):
            names[id] = sum(term in asked for term in name) / max(n_asked, len(name))
    return {"file name": names, "folder name": _shares_of_folders(files_in, asked, path_terms)}


def _shares_of_folders(
    files_in: Mapping[str, list[int]], asked: frozenset[str], path_terms: PathTerms
) -> dict[int, float]:
    n_files_with: dict[str, int] = defaultdict(int)
    said_by: list[tuple[list[int], list[str], frozenset[str]]] = []
    for folder, files in files_in.items():
        near = path_terms.folders(folder)
        if said := asked.intersection(near):
            said_by.append((files, near, said))
            for term in said:
                n_files_with[term] += len(files)
    n_files = sum(map(len, files_in.values()))
    shares: dict[int, float] = {}
    for files, near, said in said_by:
        share = sum(1 - n_files_with[term] / n_files for term in near if term in said) / len(near)
        shares |= dict.fromkeys(files, share)
    return shares


def _defining_chunks(found: Candidates) -> dict[int, float]:
    best: dict[int, float] = {}
    most = max(found.chunks.values(), default=1.0)
    for key, worth in found.defining_chunks.items():
        file, value = key >> ORDINAL_BITS, worth * found.chunks.get(key, 0.0) / most
        best[file] = max(best.get(file, 0.0), value)
    return best


def shelves_of(found: Candidates) -> dict[str, dict[int, float]]:
    """The kind of file, unless the question asks for that kind."""
    on: dict[str, dict[int, float]] = {shelf: {} for shelf in SHELVES if shelf not in found.question.asks}
    for id, file in found.files.items():
        for shelf in file.shelves:
            if shelf in on:
                on[shelf][id] = 1.0
    return on


def sizes(found: Candidates, view: View) -> dict[int, float]:
    """The logarithm of the size between the smallest and the largest file of the view: hubs are asked for more."""
    least, most = math.log1p(view.smallest), math.log1p(view.largest)
    width = max(most - least, 1e-9)
    return {id: (math.log1p(file.n_bytes) - least) / width for id, file in found.files.items()}


def rank_files(found: Candidates, signals: Signals, *, limit: int | None = None) -> list[Ranked]:
    """The best files, best first; ties by path, so that the order never depends on chance."""
    weights = {
        **(REPORT if found.question.is_report else NAME if found.question.is_identifier else QUESTION),
        **TIDYING,
    }
    weighed = [(label, weight, signals[label]) for label, weight in weights.items() if signals.get(label)]
    totals = dict.fromkeys(found.files, 0.0)
    for _, weight, values in weighed:
        for id, value in values.items():
            if id in totals:
                totals[id] += weight * value
    order = _best(totals, found.files, limit)
    ranked = [_ranked(found.files[id], weighed) for id in order]
    return reorder_first_three(ranked, signals) if found.question.is_report else ranked


def _best(totals: Mapping[int, float], files: Mapping[int, File], limit: int | None) -> list[int]:
    """At most `limit` files; paths are compared among the best only, as that takes most of the time."""
    order = sorted(totals, key=totals.__getitem__, reverse=True)
    if limit is not None and len(order) > limit:
        least = totals[order[limit - 1]] if limit > 0 else 0.0
        order = [id for id in order if totals[id] >= least] if limit > 0 else []
    return sorted(order, key=lambda id: (-totals[id], files[id].path))[:limit]


def _ranked(file: File, weighed: list[tuple[str, float, Mapping[int, float]]]) -> Ranked:
    reasons = tuple(
        Reason(label=label, value=weight * value)
        for label, weight, values in weighed
        if (value := values.get(file.id, 0.0))
    )
    return Ranked(file=file, score=sum(reason.value for reason in reasons), reasons=reasons)


def reorder_first_three(ranked: list[Ranked], signals: Signals) -> list[Ranked]:
    """Order the first three by what the reporter points at; their scores change places with them."""
    head = ranked[:3]
    if len(head) < 2:
        return ranked
    plain = [
        sum(weight * signals.get(label, {}).get(r.file.id, 0.0) for label, weight in FIRST_THREE.items()) for r in head
    ]
    again = [
        a + FIRST_THREE_SHARE * b for a, b in zip(_stretched([r.score for r in head]), _stretched(plain), strict=True)
    ]
    order = sorted(range(len(head)), key=lambda i: -again[i])
    moved = [_moved(head[i], to=head[place].score) for place, i in enumerate(order)]
    return moved + ranked[3:]


def _stretched(values: list[float]) -> list[float]:
    least, width = min(values), max(max(values) - min(values), 1e-9)
    return [(value - least) / width for value in values]


def _moved(ranked: Ranked, *, to: float) -> Ranked:
    if to == ranked.score:
        return ranked
    reason = Reason(label="pointed at by the report", value=to - ranked.score)
    return Ranked(file=ranked.file, score=to, reasons=(*ranked.reasons, reason))
