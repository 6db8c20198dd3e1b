"""What published adapters for these stores get wrong: each defect that their users met is looked for in every store."""

from __future__ import annotations

from random import Random

import pytest
from samples import FIELDS, LEXICAL, PROJECT, check, document, filled, ids, lettered, near, scores

from callsite.collections import Collection
from callsite.query import Query

DIMS = 8
WIDE = Collection.of("wide", routing="project_id", fields=FIELDS | {"v": f"vector({DIMS})"}, lexical=LEXICAL)


def test_near_is_by_cosine_whatever_the_lengths_of_the_vectors(store):
    """An index for Euclidean distance asked with the operator for cosines gives another order, or is not used."""
    filled(store, [document("long", v=[100, 1]), document("short", v=[0.5, 0.2]), document("at", v=[0.9, -0.9])])
    check(store, near(3), "long short at")
    check(store, near(3, vector=(1e-5, 0)), "long short at")
    assert scores(store, near(1)) == {"long": (pytest.approx(0.99995, abs=1e-5),)}


def wide_world(n=1_000, n_rare=20):
    """Vectors around the one that is asked for, and a few of a rare kind, far from it."""
    random = Random(5)
    asked = [1.0] + [0.0] * (DIMS - 1)

    def vector(first):
        return [first] + [round(random.uniform(-1, 1), 4) for _ in range(DIMS - 1)]

    common = [document(f"c{i:04}", kind="common", v=vector(3)) for i in range(n)]
    rare = [document(f"r{i:04}", kind="rare", v=vector(-3 + i / 10)) for i in range(n_rare)]
    return asked, [*common, *rare]


def test_a_narrow_filter_still_gives_as_many_as_were_asked_for(store):
    """An approximate index that is searched first and filtered then finds none of a rare kind."""
    asked, documents = wide_world()
    filled(store, documents, WIDE)
    rare = {one["id"]: one["v"] for one in documents if one["kind"] == "rare"}
    by_cosine = sorted(rare, key=lambda id: -rare[id][0] / sum(x * x for x in rare[id]) ** 0.5)
    for k in (1, 10, 20, 50):
        query = Query.filter(kind="rare").knn(target="v", vector=asked, limit=k)
        assert ids(store, query, WIDE) == by_cosine[:k]


def test_documents_without_a_vector_are_near_to_nothing(store):
    """However many are asked for: they are no neighbours with a distance of nothing."""
    filled(store, [document("with", v=[-1, 0]), document("without"), document("other", w=[1, 0])])
    check(store, near(10), "with")
    check(store, Query.missing("v") & near(10), "")
    check(store, Query.filter(id="other") | near(1), "with other")


def test_a_filter_narrows_before_the_nearest_are_chosen(store):
    """Wherever it is written: k of the kind, not the kind of the nearest k."""
    filled(store, lettered())
    kind = Query.filter(kind="b")
    for query in (kind & near(2), near(2) & kind, near(2).filter(kind="b"), Query.and_(near(2), Query.and_(kind))):
        check(store, query, "b1 b2")
    check(store, near(1) & Query.match("nothing says this"), "")


def test_a_base_filter_that_is_an_or_is_kept(store):
    """With knn beside it, within it, and below another filter."""
    filled(store, [*lettered(), document("c9", kind="c", n=9, v=[1, 0]) | {"project_id": 2}])
    either = Query.filter(n=2) | Query.filter(kind="b")
    check(store, either & near(2), "b1 a2")
    check(store, near(10) & either, "b1 a2 b2")
    check(store, Query.filter(project_id=PROJECT) & (either & near(10)), "b1 a2 b2")
    check(store, (Query.filter(project_id=2) | Query.filter(kind="b")) & near(1), "c9")
    check(store, Query.filter(project_id=[1]) & (either | near(1)), "a1 a2 b1 b2")


def test_an_or_with_knn_adds_the_nearest(store):
    """On every store: it is no `and`, no boost of others, and no filter that knn is under."""
    filled(store, lettered())
    check(store, Query.filter(kind="b") | near(2), "a1 b1 b2")
    check(store, near(1) | near(1, target="w"), "a1 a3")
    found = scores(store, Query.filter(kind="b") | near(2))
    assert {id: one[0] is not None for id, one in found.items()} == {"a1": True, "b1": True, "b2": False}


def test_a_knn_inside_an_and_counts(store):
    """Also in a nested one, and beside a match."""
    filled(store, [one | {"content": "said" if one["n"] < 3 else "silent"} for one in lettered()])
    check(store, Query.and_(Query.filter(kind="a"), Query.and_(Query.all(), near(1))), "a1")
    check(store, Query.and_(Query.filter(kind=["a", "b"]), Query.or_(Query.and_(Query.filter(n=3), near(1)))), "a3")
    found = scores(store, Query.match("said", words=1) & near(3))
    assert set(found) == {"a1", "b1", "a2"}
    assert all(None not in one for one in found.values())


def test_a_permission_that_is_added_to_a_finished_query_leaves_as_many_hits(store):
    """It reaches into knn and limit, so nobody gets fewer because the best belong to others."""
    documents = [
        document(f"{project}-{n:02}", content="header " + "text " * project, v=[1, project * n / 100])
        | {"project_id": project}
        for project in (1, 2, 3)
        for n in range(1, 21)
    ]
    filled(store, documents)
    for query in (
        near(5),
        Query.match("header").limit(5),
        (Query.match("header").limit(5) | near(5)).limit(5),
        Query.all().limit(5),
        near(10).limit(5),
    ):
        for project in (1, 2, 3):
            found = ids(store, query & Query.filter(project_id=project))
            assert len(found) == 5
            assert {id[0] for id in found} == {str(project)}
