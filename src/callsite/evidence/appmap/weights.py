"""How much does each recorded function count for a question? Chosen recordings in, weights from 0 to 1 with sentences.

A weight is kind of evidence × rarity over all recordings × nearness to the failure × work that it does × score of the
recording. It says nothing of where the function is today. On the development half of bugloc the first function that
the fix changed stands, by these weights alone, at a mean reciprocal rank of .43 (random order: .14) in recordings of
wrong results, and of .74 (.16) in those that end with an exception.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

from callsite.evidence.appmap.choose import Chosen
from callsite.evidence.appmap.entry import Entry, Function, function_at
from callsite.types import Reason
from callsite.values import dataclass

# What kind of evidence a function is, the strongest that holds.
_ENDED_TEST = 1.0  # on the stack of the exception that the test failed with
_NAMED = 1.0  # on the stack of an exception that the question names
_ESCAPED = 0.8  # on the stack of an exception that nobody caught
_CAUGHT = 0.6
_PASSED = 0.6  # share of these two in a test that did not fail: there exceptions are part of the plan
_IN_FAILED_TEST = 0.7  # called by a test that failed
_CALLED = 0.4

_LEAST_RARITY = 0.15  # of a function that all recordings pass through
_LEAST_RARITY_ON_STACK = 0.5  # the stack tells more than how many others pass through it
_PER_FRAME = 0.15  # nearness falls with 1 / (1 + this × frames)
_PER_CALL = 0.02  # .1 puts the wanted function lower
_PER_LEVEL = 0.02  # of a call in a test that did not fail, by its depth
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
        """1 for a function of one recording, falling to a floor for one of all."""
        return max(_LEAST_RARITY, 1 - log(max(1, self._number[place])) / log(self._n_all + 1))


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
            Reason(label="rarity", value=max(rarity.of(place), _LEAST_RARITY_ON_STACK if grounds else 0)),
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
        strength = (_CAUGHT if raised.caught_by >= 0 else _ESCAPED) * (1 if entry.facts.failed else _PASSED)
        strength = _ENDED_TEST if raised.ended_test else _NAMED if number in one.named_exceptions else strength
        name = raised.name.rpartition(".")[2]
        for frames, index in enumerate(raised.stack):
            nearness = 1 / (1 + _PER_FRAME * frames)
            if index not in found or strength * nearness > found[index][1] * found[index][2]:
                found[index] = "exception", strength, nearness, _frames_above(frames, name)
    return found


def _frames_above(frames: int, name: str) -> str:
    if frames == 0:
        return f", raised {name}"
    return f", {frames} frame{'s' if frames > 1 else ''} above {name}"


def _plain_call(entry: Entry, index: int) -> _Grounds:
    distance, depth = entry.failure_distances[index], entry.depths[index]
    if entry.facts.failed:
        calls = f"{distance} call{'' if distance == 1 else 's'}"
        near = f", {calls} {_from_failure(entry)}" if distance >= 0 else ""
        return "failing test", _IN_FAILED_TEST, 1 / (1 + _PER_CALL * max(0, distance)), f", which failed{near}"
    return "call", _CALLED, 1 / (1 + _PER_LEVEL * max(0, depth)), ""


def _from_failure(entry: Entry) -> str:
    """What distances to the failure are counted from."""
    ending = next((raised for raised in entry.exceptions if raised.ended_test), None)
    return f"from {ending.name.rpartition('.')[2]}" if ending else "before the end"
