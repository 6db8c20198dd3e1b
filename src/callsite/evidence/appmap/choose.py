"""Which recordings does a question ask for? Entries and weighted terms in, the best in order with reasons; no files.

BM25 over the terms of the entries, with three differences: rarity never falls to nothing, so that a word of most
recordings ranks weakly and not at random; recordings that went the same ways count once, for rarity and in the answer;
and a score is a share of what the question could reach, so that a poor match stays small when nothing is better.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import log

from callsite.evidence.appmap.entry import Entry
from callsite.types import Reason
from callsite.values import dataclass

# BM25, with its usual constants.
_SATURATION, _LENGTH = 1.2, 0.5
_LEAST_RARITY = 0.1  # of a term that all recordings have, where 1 is a term of one among very many
_UNKNOWN = 0.5  # share of the weight of a term that no recording has: reports hold words about other things

# Factors on a match, 1 = none.
FAILED = 1.5  #: a failed test is recorded because somebody looks for its failure
NAMED_EXCEPTION = 1.5  #: the question says the class of an exception that was raised
STALE = 0.5  #: the source is newer than the recording

GIVEN = 0.8  #: least score of a recording that the caller gave, before it is found stale
_LEAST_SHARE = 0.2  # of the best score, for the others to be taken
_ALIKE = 0.9  # share of common functions that makes two recordings one


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A recording that was chosen."""

    position: int  #: in the entries
    score: float  #: 0 to 1
    reasons: tuple[Reason, ...]  #: the match, and the factors on it
    stale: bool = False
    given: bool = False
    matched: tuple[str, ...] = ()  #: terms of the question, those that say most first
    named_exceptions: tuple[int, ...] = ()  #: positions in `Entry.exceptions` of those that the question names
    twins: tuple[int, ...] = ()  #: positions of entries that went the same ways and are not in the answer


def choose(
    entries: Sequence[Entry],
    terms: Mapping[str, float],
    *,
    at_most: int = 10,
    given: Collection[int] = (),
    stale: Collection[int] = (),
) -> tuple[Chosen, ...]:
    """The recordings that match the terms of a question, best first; `given` and `stale` are positions of entries.

    Those that were given are all taken, whatever `at_most` says; terms without a weight above 0 ask for nothing.
    """
    asked = {term: weight for term, weight in terms.items() if weight > 0}
    matches = _matches(entries, asked)
    scored = [
        _scored(entries[position], position, matches.get(position), asked, given=given, stale=stale)
        for position in sorted({*matches, *given} & set(range(len(entries))))
    ]
    scored.sort(key=lambda one: _order(one, entries))
    return _without_twins(scored, entries, at_most=at_most)


def _order(one: Chosen, entries: Sequence[Entry]) -> tuple[object, ...]:
    entry = entries[one.position]
    return not one.given, -round(one.score, 6), not entry.facts.failed, len(entry.places), entry.file


class _Match:
    """How well one entry fits: the sum over the terms, and what each gave."""

    __slots__ = ("by_term", "share")

    def __init__(self) -> None:
        self.by_term: dict[str, float] = {}
        self.share = 0.0


def _matches(entries: Sequence[Entry], asked: Mapping[str, float]) -> dict[int, _Match]:
    """Entries that have at least one of the terms, by position."""
    weight_by_fingerprint = _number_of_each(entries)
    n_distinct = len(weight_by_fingerprint)
    lengths = [sum(entry.terms.values()) for entry in entries]
    mean = max(1.0, sum(lengths) / max(1, len(lengths)))
    found: dict[int, _Match] = {}
    reachable = 0.0
    for term, weight in asked.items():
        holders = [(position, entry.terms[term]) for position, entry in enumerate(entries) if term in entry.terms]
        n_holders = sum(1 / weight_by_fingerprint[entries[position].fingerprint] for position, _ in holders)
        rarity = _rarity(n_holders, n_distinct)
        reachable += weight * rarity * (1 if holders else _UNKNOWN)
        for position, times in holders:
            damped = times / (times + _SATURATION * (1 - _LENGTH + _LENGTH * lengths[position] / mean))
            found.setdefault(position, _Match()).by_term[term] = weight * rarity * damped
    for match in found.values():
        match.share = sum(match.by_term.values()) / reachable
    return found


def _number_of_each(entries: Sequence[Entry]) -> dict[str, int]:
    number: dict[str, int] = {}
    for entry in entries:
        number[entry.fingerprint] = number.get(entry.fingerprint, 0) + 1
    return number


def _rarity(n_holders: float, n_all: int) -> float:
    """1 for what nobody has, falling to a floor for what all have."""
    return max(_LEAST_RARITY, log(1 + (n_all - n_holders + 0.5) / (n_holders + 0.5)) / log(2 + 2 * n_all))


def _scored(
    entry: Entry,
    position: int,
    match: _Match | None,
    asked: Mapping[str, float],
    *,
    given: Collection[int],
    stale: Collection[int],
) -> Chosen:
    match = match or _Match()
    named = _named_exceptions(entry, asked)
    score, reasons = match.share, [Reason(label="match", value=match.share)]
    factors = [("failed", FAILED, entry.facts.failed), ("named exception", NAMED_EXCEPTION, bool(named))]
    for label, factor, holds in factors:
        if holds:
            score *= factor
            reasons.append(Reason(label=label, value=factor))
    if position in given and score < GIVEN:
        reasons.append(Reason(label="given", value=GIVEN - score))
        score = GIVEN
    score = min(1.0, score)
    if position in stale:
        score *= STALE
        reasons.append(Reason(label="stale", value=STALE, detail="the source is newer than the recording"))
    return Chosen(
        position=position,
        score=score,
        reasons=tuple(reasons),
        stale=position in stale,
        given=position in given,
        matched=tuple(sorted(match.by_term, key=lambda term: (-match.by_term[term], term))[:12]),
        named_exceptions=named,
    )


def _named_exceptions(entry: Entry, asked: Mapping[str, float]) -> tuple[int, ...]:
    """Exceptions whose class the question says; in a compound name the whole counts, its parts are plain words."""
    said = [term.removeprefix("=") for term in entry.exception_terms if term in asked]
    if not said:
        return ()
    return tuple(index for index, raised in enumerate(entry.exceptions) if _folded(raised.name).endswith(tuple(said)))


def _folded(name: str) -> str:
    return name.replace("_", "").lower()


def _without_twins(scored: list[Chosen], entries: Sequence[Entry], *, at_most: int) -> tuple[Chosen, ...]:
    """The first of each group of recordings that went the same ways, as many as asked for."""
    from callsite.values import replace

    kept: list[Chosen] = []
    twins: dict[int, list[int]] = {}
    least = _LEAST_SHARE * max((one.score for one in scored), default=0.0)
    functions: dict[int, frozenset[str]] = {}
    for one in scored:
        if not one.given and (one.score < least or one.score <= 0 or len(kept) >= at_most):
            continue
        functions[one.position] = frozenset(entries[one.position].places)
        first = next((other for other in kept if _alike(one.position, other.position, entries, functions)), None)
        if first is not None and not one.given:
            twins.setdefault(first.position, []).append(one.position)
            continue
        kept.append(one)
    return tuple(replace(one, twins=tuple(twins.get(one.position, ()))) for one in kept)


def _alike(one: int, other: int, entries: Sequence[Entry], functions: dict[int, frozenset[str]]) -> bool:
    if entries[one].fingerprint == entries[other].fingerprint:
        return True
    mine, others = functions[one], functions[other]
    if not mine or min(len(mine), len(others)) < _ALIKE * max(len(mine), len(others)):
        return False
    n_common = len(mine & others)
    return n_common >= _ALIKE * (len(mine) + len(others) - n_common)
