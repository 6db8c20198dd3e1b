"""Documents get their vectors in the same way in every store."""

from __future__ import annotations

from samples import PROJECT, SMALL, document, filled, key

from callsite.embedding import FakeEmbedder, Policy, hashed_vector
from callsite.query import Query
from callsite.vectors import embedded_text, plan, run

N, FIELD = 30, "v"
DOCUMENTS = [document(f"d{number:02}", content=f"text {number}", path=f"p{number % 4}") for number in range(N)]
POLICY = Policy(first_delay=0.0)


class Meddling(FakeEmbedder):
    """While the first request is on its way, a document is deleted, one gets another vector, one another content."""

    def __init__(self, store):
        super().__init__(dims=2)
        self.store = store

    def embed(self, texts, *, purpose="document"):
        if not self.requests:
            self.store.delete(SMALL.name, [key("d01")])
            self.store.upsert(SMALL.name, [document("d02", v=[1.0, 2.0]), document("d03", content="another")])
        return super().embed(texts, purpose=purpose)


def vectors(store):
    """Of those documents that are there."""
    found = store.lookup(SMALL.name, [key(one["id"]) for one in DOCUMENTS], fields=[FIELD])
    return {one.key.id: one.fields.get(FIELD) for one in found if one}


def expected(*without):
    return {one["id"]: tuple(hashed_vector(embedded_text(one), 2)) for one in DOCUMENTS if one["id"] not in without}


def test_what_lacks_a_vector_gets_one(store):
    """Once; a plan counts the same, and a part can be chosen."""
    filled(store, DOCUMENTS)
    part = Query.filter(project_id=PROJECT, path="p1")
    assert plan(store, SMALL.name, FIELD, FakeEmbedder(dims=2), where=part).n_chunks == 8
    assert run(store, SMALL.name, FIELD, FakeEmbedder(dims=2), where=part, policy=POLICY).n_written == 8
    assert run(store, SMALL.name, FIELD, FakeEmbedder(dims=2), policy=POLICY).n_written == N - 8
    assert vectors(store) == expected()
    assert store.count(SMALL.name, Query.missing(FIELD)) == 0
    again = FakeEmbedder(dims=2)
    assert run(store, SMALL.name, FIELD, again, policy=POLICY).n_done == 0
    assert again.requests == []


def test_what_happens_meanwhile_is_respected(store):
    """Nothing deleted comes back, no other vector is overwritten, and none is written to what it is not of."""
    filled(store, DOCUMENTS)
    report = run(store, SMALL.name, FIELD, Meddling(store), guard=["content"], policy=POLICY)
    assert (report.n_written, report.n_gone, report.n_changed, report.n_failed) == (N - 3, 1, 2, 0)
    assert vectors(store) == expected("d01", "d02", "d03") | {"d02": (1.0, 2.0), "d03": None}
    assert run(store, SMALL.name, FIELD, FakeEmbedder(dims=2), policy=POLICY).n_written == 1
