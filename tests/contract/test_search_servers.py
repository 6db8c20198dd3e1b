"""What is asked of Elasticsearch and OpenSearch alone: graphs of vectors, indices that nobody made, several shards."""

from __future__ import annotations

from random import Random

import pytest
from implementations import IMPLEMENTATIONS
from samples import FIELDS, LEXICAL, SMALL, document, emptied, filled, states
from servers import lucene

from callsite.collections import Collection
from callsite.errors import CollectionError
from callsite.query import Query
from callsite.stores.memory import MemoryStore
from callsite.values import replace

DIMS, N_DOCUMENTS = 16, 2_000
GRAPHS = Collection.of("graphs", routing="project_id", fields=FIELDS | {"v": f"vector({DIMS})"}, lexical=LEXICAL)
OPENERS = {"elasticsearch": lucene.elasticsearch, "opensearch": lucene.opensearch}


@pytest.fixture(scope="module", params=[name for name in OPENERS if name in IMPLEMENTATIONS])
def approximate(request):
    """A store that compares no more than 50 documents one by one, in three shards; and the oracle of what it holds."""
    options = replace(lucene.OPTIONS, prefix=f"{lucene.OPTIONS.prefix}graphs-", exact_up_to=50, shards=3)
    with OPENERS[request.param](options) as store:
        yield filled(emptied(store), documents(), GRAPHS), filled(MemoryStore(), documents(), GRAPHS)
        emptied(store)


def documents():
    random = Random(3)
    return [
        document(f"d{n:04}", kind="rare" if n % 100 == 0 else "common", v=vector(random)) | {"project_id": n % 7}
        for n in range(N_DOCUMENTS)
    ]


def vector(random):
    return [random.gauss(0, 1) for _ in range(DIMS)]


@pytest.mark.parametrize("among", [Query.all(), Query.filter(kind="common"), Query.filter(project_id=[1, 2])], ids=str)
def test_a_graph_finds_what_comparing_all_finds(approximate, among):
    """Nearly all of it, with nearly the same cosines, and as many as were asked for."""
    store, oracle = approximate
    random, n_found, asked = Random(4), 0, 30
    for _ in range(asked):
        query = among & Query.knn(target="v", vector=vector(random), limit=10)
        found, right = (
            {one.document.key: one.scores[0] for one in each.search(GRAPHS.name, query).candidates}
            for each in (store, oracle)
        )
        assert len(found) == 10
        assert list(found.values()) == sorted(found.values(), reverse=True)
        common = found.keys() & right.keys()
        n_found += len(common)
        assert {key: found[key] for key in common} == pytest.approx({key: right[key] for key in common}, abs=2e-5)
    assert n_found >= 0.99 * 10 * asked


def test_few_are_compared_and_are_all_found(approximate):
    """Twenty of a rare kind, however far."""
    for limit in (5, 20, 100):
        query = Query.filter(kind="rare") & Query.knn(target="v", vector=[1.0] * DIMS, limit=limit)
        given, right = (
            [one.document.key for one in each.search(GRAPHS.name, query).candidates] for each in approximate
        )
        assert given == right
        assert len(given) == min(20, limit)


def test_more_than_a_graph_finds_are_found_by_comparing(approximate):
    """As many as there are."""
    store, _ = approximate
    query = Query.knn(target="v", vector=[1.0] * DIMS, limit=10_000)
    assert len(store.search(GRAPHS.name, query, fields=[]).candidates) == N_DOCUMENTS


def test_writes_after_a_drop_make_no_index(approximate):
    """A definition that was read before is no reason to make one."""
    store, _ = approximate
    late = replace(SMALL, name="late")
    store.create(late)
    place = store._definitions.of("late")

    def dropping():
        yield document("a")
        assert store.drop("late")
        yield document("b")

    with pytest.raises(CollectionError, match="dropped"):
        store.upsert("late", dropping())
    assert states(store.upsert(GRAPHS.name, [])) == []
    reply = store._server.ask("look", "GET", f"/{place.alias}*/_mapping", also=(404,))
    assert reply.body == {} or reply.status == 404
