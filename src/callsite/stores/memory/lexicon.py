"""Which documents hold a term, and what is it worth there? BM25 as tantivy and Lucene compute it.

k1 and b as everywhere; the length of a field is kept in one byte, so long ones are rounded down; the average is that of
all documents of the collection, those without a term among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import log

from callsite.stores.values import Key

K1, B = 1.2, 0.75
_EXACT = 24  # lengths below are kept as they are
_BITS = 4  # of the rest: the leading ones of what exceeds that


class Lexicon:
    """The terms of one lexical field of all documents."""

    def __init__(self) -> None:
        self._documents: dict[Key, list[str]] = {}
        self._postings: dict[str, dict[Key, int]] = {}
        self._n_terms = 0

    def put(self, key: Key, terms: str) -> None:
        """The document has these terms, separated by spaces, and no others."""
        self.remove(key)
        self._documents[key] = listed = terms.split()
        self._n_terms += len(listed)
        for term, times in Counter(listed).items():
            self._postings.setdefault(term, {})[key] = times

    def remove(self, key: Key) -> None:
        listed = self._documents.pop(key, [])
        self._n_terms -= len(listed)
        for term in set(listed):
            del self._postings[term][key]

    def scores(self, weights: Mapping[str, float], *, n_documents: int) -> dict[Key, float]:
        """The documents with at least one of the terms, and the sum over those that they have, times the weights."""
        found: dict[Key, float] = {}
        for term, weight in weights.items():
            for key, score in self._scores(term, n_documents).items():
                found[key] = found.get(key, 0.0) + weight * score
        return found

    def _scores(self, term: str, n_documents: int) -> dict[Key, float]:
        holding = self._postings.get(term, {})
        rarity = log(1 + (n_documents - len(holding) + 0.5) / (len(holding) + 0.5))
        average = self._n_terms / n_documents if n_documents else 0.0
        return {
            key: rarity
            * (1 + K1)
            * times
            / (times + K1 * (1 - B + B * kept_length(len(self._documents[key])) / average))
            for key, times in holding.items()
        }


def kept_length(n: int) -> int:
    """The length that one byte can say: exact up to 40, above that rounded down to four leading bits."""
    if n < _EXACT:
        return n
    over = n - _EXACT
    shift = max(0, over.bit_length() - _BITS)
    return _EXACT + (over >> shift << shift)
