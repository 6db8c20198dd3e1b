"""Which documents does a query give? The definitions of docs/why/query-language.md, one after the other, exactly.

Slow on purpose: each document is looked at. `among` is what the filters reach that a node stands with; what a node
gives never goes beyond it.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping
from math import fsum
from operator import mul

from callsite.query.fields import Value, single_precision
from callsite.query.nodes import (
    And,
    Exists,
    Filter,
    Knn,
    Limit,
    Match,
    Missing,
    Node,
    Not,
    Or,
    Prefix,
    is_settled,
    legs_of,
)
from callsite.query.values import length
from callsite.stores.memory.lexicon import Lexicon
from callsite.stores.order import Scores, by_id, in_order
from callsite.stores.terms import match_terms
from callsite.stores.values import Key
from callsite.text.words import Words
from callsite.values import dataclass

Given = dict[Key, Scores]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What queries mean for one state of a collection."""

    documents: Mapping[Key, Mapping[str, Value]]  #: with their `id`
    lexicons: Mapping[str, Lexicon]
    words: Words

    def given(self, node: Node, among: Collection[Key]) -> Given:
        """The documents that the node gives, each with the scores of its legs."""
        match node:
            case Match():
                return self._matching(node, among)
            case Knn():
                return self._nearest(node, among)
            case And():
                return self._by_all(node, among)
            case Or():
                return self._by_any(node, among)
            case Limit():
                part = self.given(node.part, among)
                return {key: part[key] for key in in_order(part)[: node.n]}
            case Not():
                part = self.given(node.part, among)
                return {key: () for key in among if key not in part}
        return {key: () for key in among if passes(node, self.documents[key])}

    def _by_all(self, node: And, among: Collection[Key]) -> Given:
        by_part: dict[int, Given] = {}
        for n in sorted(range(len(node.parts)), key=lambda n: not is_settled(node.parts[n])):
            by_part[n] = self.given(node.parts[n], among)
            if is_settled(node.parts[n]):
                among = by_part[n].keys()
        common = set(among).intersection(*by_part.values())
        return {key: _joined(by_part[n][key] for n in range(len(node.parts))) for key in common}

    def _by_any(self, node: Or, among: Collection[Key]) -> Given:
        by_part = [self.given(part, among) for part in node.parts]
        nothing: list[Scores] = [(None,) * len(legs_of(part)) for part in node.parts]
        return {
            key: _joined(given.get(key, none) for given, none in zip(by_part, nothing, strict=True))
            for key in set().union(*by_part)
        }

    def _matching(self, node: Match, among: Collection[Key]) -> Given:
        terms = match_terms(node, self.words)
        totals: dict[Key, float] = {}
        for field, weight in node.fields:
            lexicon = self.lexicons.get(field) or Lexicon()
            for key, score in lexicon.scores(terms, n_documents=len(self.documents)).items():
                totals[key] = totals.get(key, 0.0) + weight * score
        return {key: (_single(totals[key]),) for key in among if key in totals}

    def _nearest(self, node: Knn, among: Collection[Key]) -> Given:
        asked = single_precision(node.vector)
        near = {key: cosine(asked, vector) for key in among if (vector := self.documents[key].get(node.target))}
        first = sorted(near, key=lambda key: (-near[key], *by_id(key)))[: node.limit]
        return {key: (near[key],) for key in first}


def passes(node: Node, document: Mapping[str, Value]) -> bool:
    """Whether one document is given by a node that neither joins nor scores."""
    match node:
        case Filter():
            wanted = frozenset(node.values)
            return any(value in wanted for value in _elements(document, node.field))
        case Prefix():
            return any(str(value).startswith(node.starts) for value in _elements(document, node.field))
        case Exists():
            return node.field in document
        case Missing():
            return node.field not in document
    return True


def cosine(one: tuple[float, ...], other: object) -> float:
    """Of two vectors in single precision; exact up to the rounding of the result."""
    vector: tuple[float, ...] = other  # type: ignore[assignment]
    return _single(fsum(map(mul, one, vector)) / (length(one) * length(vector)))


def _elements(document: Mapping[str, Value], field: str) -> Iterator[object]:
    value = document.get(field)
    if isinstance(value, tuple):
        yield from value
    elif value is not None:
        yield value


def _joined(parts: Iterator[Scores]) -> Scores:
    return tuple(score for part in parts for score in part)


def _single(number: float) -> float:
    return array("f", (number,))[0]
