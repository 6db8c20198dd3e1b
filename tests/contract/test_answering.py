"""An engine that only searches among what a filter gives answers every query, as `stores/answering.py` asks it."""

from __future__ import annotations

import pytest
from comparing import compare
from generated import COLLECTION, Generated
from naive import World

from callsite.query import Query
from callsite.query.make import MOST
from callsite.query.nodes import is_settled
from callsite.stores import Candidate, Found
from callsite.stores.answering import NOTHING, Answering, both
from callsite.stores.asking import names_of, ready
from callsite.stores.memory import MemoryStore
from callsite.stores.memory.meaning import Meaning
from callsite.stores.order import by_id


class LeafEngine:
    """Gives what the oracle gives for a single leg or filter, and refuses anything else."""

    def __init__(self, kept, words):
        self._meaning = Meaning(documents=kept.documents, lexicons=kept._lexicons, words=words)

    def matching(self, leg, among, limit):
        return self._ranked(leg, among)[:limit]

    def nearest(self, leg, among):
        return self._ranked(leg, among)

    def passing(self, among, limit):
        return sorted(self._passing(among), key=by_id)[:limit]

    def count(self, among):
        return len(self._passing(among))

    def matching_of(self, leg, among, keys):
        return {key: score for key, score in self._ranked(leg, among) if key in keys}

    def passing_of(self, among, keys):
        return set(keys).intersection(self._passing(among))

    def _passing(self, among):
        assert is_settled(among) and among != NOTHING
        return self._meaning.given(among, self._meaning.documents.keys())

    def _ranked(self, leg, among):
        given = self._meaning.given(leg, self._passing(among))
        return sorted(((key, score) for key, (score,) in given.items()), key=lambda one: (-one[1], by_id(one[0])))


class LeafStore(MemoryStore):
    """A store over such an engine."""

    def search(self, collection, query, *, fields=None):
        kept = self._of(collection)
        first, has_more = self._answering(kept).first(ready(kept.collection, query).node, MOST)
        names = names_of(kept.collection, fields)
        return Found(
            candidates=tuple(Candidate(document=kept.document(key, names), scores=scores) for key, scores in first),
            has_more=has_more,
        )

    def count(self, collection, query):
        kept = self._of(collection)
        return self._answering(kept).count(ready(kept.collection, query).node)

    def _answering(self, kept):
        return Answering(LeafEngine(kept, self._words))


@pytest.mark.parametrize("seed", range(5))
def test_any_query_is_answered_by_asking_for_its_parts(seed):
    """Ids, order and raw scores, as the definitions have them."""
    generated = Generated(200 + seed, is_sparse=bool(seed % 2))
    compare(LeafStore(), World(generated.documents).answer, generated, COLLECTION, n=200)


def test_a_filter_of_filters_is_one():
    """Nothing is asked twice, everything not at all, and nothing stays nothing."""
    a, b = Query.filter(n=1).node, Query.filter(n=2).node
    assert both() == both(Query.all().node) == Query.all().node
    assert both(a, Query.all().node, a) == a
    assert both(both(a, b), a) == both(a, b)
    assert both(a, NOTHING, b) == NOTHING
