"""Do a store and the oracle give the same? Ids exactly, scores nearly, and the order as the scores have it."""

from __future__ import annotations

from naive import by_rounds
from samples import filled

from callsite.query.nodes import Match

NEARLY = 2e-5  # relative; single precision in another order of adding


def answer_of(store, name, query):
    """(routing, id) and scores, in order; the count has to agree."""
    found = store.search(name, query, fields=[])
    assert not found.has_more
    assert store.count(name, query) == len(found.candidates), query
    return [((one.document.key.routing, one.document.key.id), one.scores) for one in found.candidates]


def assert_same(query, expected, found, *, has_same_bm25=True):
    """Both as `answer_of` gives them."""
    want, have = dict(expected), dict(found)
    assert len(have) == len(found), f"{query}\ngives a document twice"
    assert have.keys() == want.keys(), (
        f"{query}\nmissing: {want.keys() - have.keys()}\ntoo many: {have.keys() - want.keys()}"
    )
    is_compared = [has_same_bm25 or not isinstance(leg, Match) for leg in query.legs()]
    for key, scores in want.items():
        assert len(scores) == len(have[key]) == len(is_compared), f"{query}\n{key}: {scores} are not {have[key]}"
        for one, other, compared in zip(scores, have[key], is_compared, strict=True):
            is_same = one is other if one is None or other is None else not compared or _is_near(one, other)
            assert is_same, f"{query}\n{key}: {have[key]}, not {scores}"
    in_order = [key for key, _ in by_rounds(found, len(is_compared))]
    assert [key for key, _ in found] == in_order, f"{query}\nis not in the order of its scores"


def _is_near(one, other):
    return abs(one - other) <= NEARLY * max(1.0, abs(one), abs(other))


def compare(store, expected_of, generated, collection, *, n, has_same_bm25=True):
    """So many queries to a store that holds the generated documents, each with what `expected_of(query)` gives."""
    filled(store, generated.documents, collection)
    for _ in range(n):
        query = generated.query(limits_matches=has_same_bm25)
        found = answer_of(store, collection.name, query)
        assert_same(query, expected_of(query), found, has_same_bm25=has_same_bm25)
