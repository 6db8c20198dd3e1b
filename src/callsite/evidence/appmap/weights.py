"""How much does each recorded function count for a question? Chosen recordings in, weights from 0 to 1 with sentences.

A weight is what it tells of a failure × rarity over all recordings × nearness to the exception × work that it does ×
score of the recording. It says nothing of where the function is today. On the development half of bugloc the first
recorded function that the fix changed stands, by these weights alone, at a mean reciprocal rank of .40 (random order:
.22) in recordings of wrong results, and of .71 (.26) in those that end with an exception.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

from callsite.evidence.appmap.choose import Chosen
from callsite.evidence.appmap.entry import Entry, Function, function_at
from callsite.types import Reason
from callsite.values import dataclass

# What tells of no failure, where 1 is what does: calls of a recording that did not fail, and the exceptions that a test
# raises and passes. It decides when recordings of passed tests are named beside one that failed.
_NO_FAILURE = 0.6
_PER_FRAME = 0.2  # nearness falls with 1 / (1 + this × frames); by the distance of calls it does not: that pays nothing
_MUCH_WORK = 12  # other functions called: from there on a function counts in full; the strongest factor without a stack


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighted:
    """A recorded function and how much it counts."""

    path: str
    line: int
    fqid: str
    weight: float  #: 0 to 1
    kind: str  #: exception, failing test or call
    sentence: str  #: why, for people
    reasons: tuple[Reason, ...]  #: factors; their product is the weight
    position: int  #: of the entry
    function: int  #: position in the entry's columns


def location_weights(chosen: Sequence[Chosen], entries: Sequence[Entry]) -> tuple[Weighted, ...]:
    """One weight for each function of the chosen recordings that has a source, the strongest first."""
    rarity = _Rarity(entries)
    best: dict[str, Weighted] = {}
    for one in chosen:
        for weighted in _weighted_functions(one, entries[one.position], rarity):
            place = entries[one.position].places[weighted.function]
            if place not in best or weighted.weight > best[place].weight:
                best[place] = weighted
    return tuple(sorted(best.values(), key=lambda one: (-one.weight, one.path, one.line)))


class _Rarity:
    """Over all recordings, those that went the same ways counted once."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        distinct = {entry.fingerprint: entry for entry in entries}
        self._n_all = len(distinct)
        self._number: Counter[str] = Counter()
        for entry in distinct.values():
            self._number.update(entry.places)

    def of(self, place: str) -> float:
        """1 for a function of one recording, falling to nearly nothing for one of all."""
        return 1 - log(max(1, self._number[place])) / log(self._n_all + 1)


def _weighted_functions(one: Chosen, entry: Entry, rarity: _Rarity) -> list[Weighted]:
    on_stacks = _on_stacks(one, entry)
    found = []
    for index, place in enumerate(entry.places):
        function = function_at(place)
        if not function.path:
            continue
        grounds = on_stacks.get(index)
        kind, strength, nearness, said = grounds or _plain_call(entry, index)
        factors = (
            Reason(label=kind, value=strength),
            Reason(label="rarity", value=rarity.of(place)),
            Reason(label="nearness", value=nearness),
            Reason(label="work", value=1.0 if grounds else _work(entry.n_callees[index])),
            Reason(label="recording", value=one.score),
        )
        found.append(_weighted(one, entry, index, function, factors, said))
    return found


def _work(n_callees: int) -> float:
    """Functions that call many others do the work of a test, those that call none answer simple questions."""
    return min(1.0, (1 + log(1 + n_callees)) / (1 + log(1 + _MUCH_WORK)))


def _weighted(
    one: Chosen, entry: Entry, index: int, function: Function, factors: tuple[Reason, ...], said: str
) -> Weighted:
    weight = 1.0
    for factor in factors:
        weight *= factor.value
    recording = f"{entry.name} (recording{', out of date' if one.stale else ''})"
    return Weighted(
        path=function.path,
        line=function.line,
        fqid=function.fqid,
        weight=min(1.0, max(0.0, weight)),
        kind=factors[0].label,
        sentence=f"called in {recording}{said}",
        reasons=factors,
        position=one.position,
        function=index,
    )


_Grounds = tuple[str, float, float, str]  # kind, its strength, nearness, the end of the sentence


def _on_stacks(one: Chosen, entry: Entry) -> dict[int, _Grounds]:
    """Functions on the stacks of exceptions, with the strongest reason of each."""
    found: dict[int, _Grounds] = {}
    for number, raised in enumerate(entry.exceptions):
        strength = _NO_FAILURE if _passed(entry) and number not in one.named_exceptions else 1.0
        name = raised.name.rpartition(".")[2]
        for frames, index in enumerate(raised.stack):
            nearness = 1 / (1 + _PER_FRAME * frames)
            if index not in found or strength * nearness > found[index][1] * found[index][2]:
                found[index] = "exception", strength, nearness, _frames_above(frames, name)
    return found


def _passed(entry: Entry) -> bool:
    """Whether it is of a test whose exceptions were part of the plan."""
    return entry.facts.test_status == "succeeded" and not entry.facts.failed


def _frames_above(frames: int, name: str) -> str:
    if frames == 0:
        return f", raised {name}"
    return f", {frames} frame{'s' if frames > 1 else ''} above {name}"


def _plain_call(entry: Entry, index: int) -> _Grounds:
    if not entry.facts.failed:
        return "call", _NO_FAILURE, 1.0, ""
    distance = entry.failure_distances[index]
    calls = f"{distance} call{'' if distance == 1 else 's'}"
    near = f", {calls} {_from_failure(entry)}" if distance >= 0 else ""
    return "failing test", 1.0, 1.0, f", which failed{near}"


def _from_failure(entry: Entry) -> str:
    """What distances to the failure are counted from."""
    ending = next((raised for raised in entry.exceptions if raised.ended_test), None)
    return f"from {ending.name.rpartition('.')[2]}" if ending else "before the end"
