"""How is any query answered by an engine that only searches among what a filter gives?

An engine gives the best documents of one leg and counts and lists what passes; how legs stand in and, or, not and limit
is worked out here, once, so that no two stores can differ in it. What a filter is: a node without knn and limit; each
engine compiles those, matches among them, to its own language.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Protocol

from callsite.query.make import MOST
from callsite.query.nodes import All, And, Knn, Limit, Match, Node, Or, is_settled, legs_of
from callsite.stores.order import Scores, by_id
from callsite.stores.values import Key
from callsite.values import dataclass

Ranked = list[tuple[Key, float]]
NOTHING = Or(parts=())


class Engine(Protocol):
    """What a store asks of its engine about one collection; `among` is a filter.

    Scores are in single precision, and equal ones go by id, then by routing.
    """

    def matching(self, leg: Match, among: Node, limit: int) -> Ranked:
        """The best documents of a match among those that pass, with its scores, best first."""

    def nearest(self, leg: Knn, among: Node) -> Ranked:
        """The nearest documents among those that pass and have a vector, with their cosine, best first."""

    def passing(self, among: Node, limit: int) -> list[Key]:
        """The first documents that pass, by id, then routing."""

    def count(self, among: Node) -> int:
        """How many pass."""

    def matching_of(self, leg: Match, among: Node, keys: Collection[Key]) -> dict[Key, float]:
        """The scores of a match for those of the documents that pass and match."""

    def passing_of(self, among: Node, keys: Collection[Key]) -> set[Key]:
        """Those of the documents that pass."""


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a leg's scores come from, for documents that are not listed: a match among what passes."""

    leg: Match
    among: Node


@dataclass(frozen=True, slots=True)
class _Given:
    """What a node gives: all that pass a filter, and documents that had to be found, with their scores for each leg."""

    passing: Node
    listed: dict[Key, Scores]
    sources: tuple[_Source | None, ...]  #: one for each leg; None where only listed documents have its score


class Answering:
    """Answers queries with one engine, which has to show one state throughout."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def first(self, node: Node, n: int = MOST) -> tuple[list[tuple[Key, Scores]], bool]:
        """The first `n` documents of a query in its order, and whether there are more."""
        found = self._first(self._given(node, All()), n + 1)
        return found[:n], len(found) > n

    def count(self, node: Node) -> int:
        """How many documents a query gives."""
        given = self._given(node, All())
        inside = self._passing_of(given.passing, given.listed)
        return self._count(given.passing) + len(given.listed) - len(inside)

    def _given(self, node: Node, among: Node) -> _Given:
        if is_settled(node):
            return _Given(both(among, node), {}, tuple(_sources(node, among)))
        match node:
            case Knn():
                return _Given(NOTHING, {key: (score,) for key, score in self._nearest(node, among)}, (None,))
            case Limit():
                first = self._first(self._given(node.part, among), node.n)
                return _Given(NOTHING, dict(first), (None,) * len(legs_of(node)))
            case And():
                return self._by_all(node, among)
            case Or():
                return self._by_any([self._given(part, among) for part in node.parts])
        raise TypeError(f"{type(node).__name__} can't hold a knn or a limit")

    def _by_all(self, node: And, among: Node) -> _Given:
        """What passes the parts that are filters is what the others look among."""
        among = both(among, *filter(is_settled, node.parts))
        parts = [
            _Given(among, {}, tuple(_sources(part, among))) if is_settled(part) else self._given(part, among)
            for part in node.parts
        ]
        passing = both(*(part.passing for part in parts))
        keys = {key for part in parts for key in part.listed}
        listed = _joined([self._complete(part, keys) for part in parts])
        sources = chain.from_iterable(part.sources for part in parts)
        inside = tuple(source and _Source(source.leg, both(source.among, passing)) for source in sources)
        return _Given(passing, listed, inside)

    def _by_any(self, parts: Sequence[_Given]) -> _Given:
        keys = {key for part in parts for key in part.listed}
        complete = [self._complete(part, keys) for part in parts]
        for part, found in zip(parts, complete, strict=True):
            found |= dict.fromkeys(keys - found.keys(), (None,) * len(part.sources))
        passing = Or(parts=tuple(part.passing for part in parts if part.passing != NOTHING))
        return _Given(passing, _joined(complete), tuple(source for part in parts for source in part.sources))

    def _complete(self, given: _Given, keys: Iterable[Key]) -> dict[Key, Scores]:
        """Those of the keys that the node gives, with all their scores."""
        wanted = set(keys)
        found = {key: given.listed[key] for key in wanted if key in given.listed}
        others = self._passing_of(given.passing, wanted - found.keys())
        by_leg = [self._matching_of(source, others) for source in given.sources]
        return found | {key: tuple(scores.get(key) for scores in by_leg) for key in others}

    def _first(self, given: _Given, n: int) -> list[tuple[Key, Scores]]:
        """By rounds over the legs, then the others by id; so the first n of each leg are enough."""
        ranked = [self._ranked(given, leg, n) for leg in range(len(given.sources))]
        longest = max(map(len, ranked), default=0)
        rounds = (leg[place][0] for place in range(longest) for leg in ranked if place < len(leg))
        chosen = list(dict.fromkeys(rounds))[:n]
        if len(chosen) < n:  # then every leg was shown to its end
            rest = {*given.listed, *self._passing(given.passing, n + len(given.listed))}.difference(chosen)
            chosen += sorted(rest, key=by_id)[: n - len(chosen)]
        return self._scored(given, ranked, chosen, n)

    def _scored(self, given: _Given, ranked: Sequence[Ranked], chosen: list[Key], n: int) -> list[tuple[Key, Scores]]:
        """The chosen with the scores of all legs, those too by which they would not have been chosen."""
        by_leg: list[dict[Key, float]] = []
        for source, best in zip(given.sources, ranked, strict=True):
            scores = dict(best)
            unknown = {key for key in chosen if key not in scores and key not in given.listed} if len(best) == n else ()
            by_leg.append(scores | self._matching_of(source, unknown))
        return [(key, given.listed.get(key) or tuple(scores.get(key) for scores in by_leg)) for key in chosen]

    def _ranked(self, given: _Given, leg: int, n: int) -> Ranked:
        source = given.sources[leg]
        found = [(key, score) for key, scores in given.listed.items() if (score := scores[leg]) is not None]
        if source is not None and source.among != NOTHING:
            found += [one for one in self._engine.matching(source.leg, source.among, n) if one[0] not in given.listed]
        return sorted(found, key=lambda one: (-one[1], by_id(one[0])))[:n]

    # the engine, which need not be asked what is known

    def _nearest(self, leg: Knn, among: Node) -> Ranked:
        return [] if among == NOTHING else self._engine.nearest(leg, among)

    def _passing(self, among: Node, limit: int) -> list[Key]:
        return [] if among == NOTHING else self._engine.passing(among, limit)

    def _count(self, among: Node) -> int:
        return 0 if among == NOTHING else self._engine.count(among)

    def _passing_of(self, among: Node, keys: Collection[Key]) -> set[Key]:
        return set() if among == NOTHING or not keys else self._engine.passing_of(among, keys)

    def _matching_of(self, source: _Source | None, keys: Collection[Key]) -> dict[Key, float]:
        if source is None or source.among == NOTHING or not keys:
            return {}
        return self._engine.matching_of(source.leg, source.among, keys)


def both(*filters: Node) -> Node:
    """The filter that passes what all of them pass."""
    parts: dict[Node, None] = {}
    for one in filters:
        parts |= dict.fromkeys(one.parts if isinstance(one, And) else () if isinstance(one, All) else (one,))
    if NOTHING in parts:
        return NOTHING
    return next(iter(parts)) if len(parts) == 1 else And(parts=tuple(parts)) if parts else All()


def _sources(node: Node, among: Node) -> Iterator[_Source]:
    """The legs of a filter; one in an `and` gives its score to what passes all parts of that."""
    match node:
        case Match():
            yield _Source(node, among)
        case And():
            for n, part in enumerate(node.parts):
                yield from _sources(part, both(among, *node.parts[:n], *node.parts[n + 1 :]))
        case Or():
            for part in node.parts:
                yield from _sources(part, among)


def _joined(parts: Sequence[Mapping[Key, Scores]]) -> dict[Key, Scores]:
    """The documents that all parts have, with the scores of all, in order."""
    common = set(parts[0]).intersection(*parts[1:]) if parts else ()
    return {key: tuple(chain.from_iterable(part[key] for part in parts)) for key in common}
