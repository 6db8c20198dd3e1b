"""A user never gets a hit that he may not read, and as many as there are of those that he may.

`CONTRACT_USERS=100000 pytest tests/contract/test_permissions.py` asks for so many pairs of user and query.
"""

from __future__ import annotations

import os
from random import Random

import pytest
from generated import COLLECTION, Generated
from samples import filled

from callsite.collections import Collection
from callsite.errors import CollectionError
from callsite.permissions import search
from callsite.permissions.unsafe import search_without_permission
from callsite.query import Query
from callsite.query.nodes import Knn, Limit, walk
from callsite.stores import Found
from callsite.stores.memory import MemoryStore

N_PAIRS = int(os.environ.get("CONTRACT_USERS", "300"))
NAME = "documents"
DOCUMENTS = Collection.of(
    NAME,
    routing="project_id",
    fields={"project_id": "integer", "content": "text", "v": "vector(2)"},
    lexical={"words": "content"},
)


class Rules:
    """Who may read what now, and what lists say, which may be older."""

    def __init__(self, listed, now=None):
        self.listed, self.now, self.asked = listed, listed if now is None else now, []

    def projects(self, user):
        return self.listed.get(user, ())

    def may_read(self, user, project_id):
        self.asked.append(project_id)
        return project_id in self.now.get(user, ())


@pytest.fixture
def store(store):
    """Six projects; the smaller the number, the nearer to (1, 0)."""
    return filled(
        store,
        [
            {"id": f"d{n:02}", "project_id": n % 6, "content": "alpha beta", "v": [1.0, n % 6 + n / 100]}
            for n in range(60)
        ],
        DOCUMENTS,
    )


def near(limit):
    return Query.knn(target="v", vector=[1.0, 0.0], limit=limit)


def projects(found):
    return [one.document.key.routing for one in found.candidates]


def test_others_take_no_place_among_the_nearest(store):
    """The list of projects is inside the query."""
    rules = Rules({"ann": [3, 4]})
    found = search(store, NAME, near(12), user="ann", policy=rules)
    assert projects(found) == [3] * 10 + [4] * 2
    assert sorted(rules.asked) == [3, 4]


def test_who_lost_a_right_gets_the_next_best_instead(store):
    """Lists may be old; as many hits come as there are, and each project is asked about once."""
    rules = Rules({"ann": [0, 1, 2, 5]}, {"ann": [1, 5]})
    found = search(store, NAME, near(15), user="ann", policy=rules)
    assert projects(found) == [1] * 10 + [5] * 5
    assert sorted(rules.asked) == [0, 1, 2, 5]


@pytest.mark.parametrize("user", [None, "nobody"])
def test_without_a_user_or_rights_there_is_nothing(store, user):
    """It fails closed."""
    assert search(store, NAME, Query.all(), user=user, policy=Rules({"ann": [1]})) == Found(
        candidates=(), has_more=False
    )


def test_only_true_is_a_yes(store):
    """What a policy gives by mistake opens nothing."""

    class Vague(Rules):
        def may_read(self, user, project_id):
            return "maybe"

    assert search(store, NAME, Query.all(), user="ann", policy=Vague({"ann": [1]})).candidates == ()


def test_a_policy_that_fails_shows_nothing(store):
    """Its error is the caller's to see."""

    class Broken(Rules):
        def may_read(self, user, project_id):
            raise LookupError("no directory")

    with pytest.raises(LookupError):
        search(store, NAME, Query.all(), user="ann", policy=Broken({"ann": [1]}))


def test_a_query_cannot_ask_itself_out_of_the_list(store):
    """Whatever it says about projects, whatever stands in an `or`."""
    rules = Rules({"ann": [2]})
    for query in (
        Query.filter(project_id=[1, 2]),
        Query.filter(project_id=1) | Query.filter(project_id=2),
        ~Query.filter(project_id=2) | Query.all(),
        Query.match("alpha") | near(50),
        (Query.filter(project_id=1) | near(60)).limit(60),
    ):
        assert set(projects(search(store, NAME, query, user="ann", policy=rules))) == {2}
    assert search(store, NAME, Query.filter(project_id=1), user="ann", policy=rules).candidates == ()


def test_a_store_that_gives_what_was_not_asked_for_is_not_believed():
    """The check on the way out does not rest on the filter."""

    class Leaking(MemoryStore):
        def search(self, collection, query, *, fields=None):
            return super().search(collection, Query.all(), fields=fields)

    store = filled(Leaking(), [{"id": f"d{n}", "project_id": n, "content": "x"} for n in range(4)], DOCUMENTS)
    rules = Rules({"ann": [1]}, {"ann": [1, 2]})
    assert projects(search(store, NAME, Query.all(), user="ann", policy=rules)) == [1]


def test_many_projects_are_no_obstacle(store):
    """More than one filter can name."""
    rules = Rules({"ann": range(2, 70_000)})
    assert set(projects(search(store, NAME, Query.match("alpha"), user="ann", policy=rules))) == {2, 3, 4, 5}


def test_the_way_around_has_a_name(store):
    """And collections that are not routed by projects have no other."""
    assert len(search_without_permission(store, NAME, Query.all()).candidates) == 60
    store.create(Collection.of("texts", routing="name", fields={"name": "keyword"}))
    with pytest.raises(CollectionError, match="no number of a project"):
        search(store, "texts", Query.all(), user="ann", policy=Rules({}))
    with pytest.raises(CollectionError, match="there is no collection"):
        search(store, "gone", Query.all(), user="ann", policy=Rules({}))


def test_random_users_and_queries_give_nothing_forbidden(store):
    """And he gets what the query gives among what he may read, when the list is up to date or one node limits it."""
    generated, random = Generated(11), Random(11)
    store.create(COLLECTION)
    store.upsert(COLLECTION.name, generated.documents)
    store.refresh(COLLECTION.name)
    known = [1, 6]
    for _ in range(N_PAIRS):
        listed = {"ann": random.sample([*known, 99], k=random.randrange(4))}
        now = {"ann": random.sample(known, k=random.randrange(3))}
        query = generated.query()
        found = search(store, COLLECTION.name, query, user="ann", policy=Rules(listed, now))
        readable = sorted(set(listed["ann"]) & set(now["ann"]))
        assert set(projects(found)) <= set(readable)
        n_limiting = sum(isinstance(node, Knn | Limit) for node in walk(query.node))
        if n_limiting > 1 and set(listed["ann"]) - {99} != set(readable):
            continue
        meant = store.search(COLLECTION.name, Query.filter(project_id=readable) & query)
        assert [one.document.key for one in found.candidates] == [one.document.key for one in meant.candidates]
