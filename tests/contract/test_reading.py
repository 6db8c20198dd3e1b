"""What comes out of a store and how: looked up, searched, counted, scanned in pages."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from samples import SMALL, check, document, filled, key, near, pages_of

from callsite.errors import QueryError
from callsite.query import Query
from callsite.stores import Document, Key

NAME = SMALL.name
NOON = datetime(2026, 12, 1, 12, 0, 0, 123_456, tzinfo=UTC)
FULL = document(
    "full",
    kind="k",
    n=-5,
    flag=False,
    at=NOON,
    tags=["q", "p", "q"],
    numbers=[3, 1],
    path="a/b.py",
    content="",
    v=[1, 2],
)
KEPT = {
    "project_id": 1,
    "kind": "k",
    "n": -5,
    "flag": False,
    "at": NOON.replace(microsecond=123_000),
    "tags": ("q", "p", "q"),
    "numbers": (3, 1),
    "path": "a/b.py",
    "content": "",
}


def test_a_document_comes_back_as_it_was_given(store):
    """Values of their kinds, lists in order, without fields that have no value; vectors when they are asked for."""
    filled(store, [FULL])
    assert store.lookup(NAME, [key("full")]) == [Document(key=key("full"), fields=KEPT)]
    found = store.search(NAME, Query.all()).candidates
    assert [one.document for one in found] == [Document(key=key("full"), fields=KEPT)]
    assert store.scan(NAME, Query.all()).documents == (Document(key=key("full"), fields=KEPT),)
    asked = ["v", "w", "kind"]
    for documents in (
        store.lookup(NAME, [key("full")], fields=asked),
        [one.document for one in store.search(NAME, Query.all(), fields=asked).candidates],
        store.scan(NAME, Query.all(), fields=asked).documents,
    ):
        assert [dict(one.fields) for one in documents] == [{"v": (1.0, 2.0), "kind": "k"}]
    assert [dict(one.fields) for one in store.lookup(NAME, [key("full")], fields=[])] == [{}]


def test_lookup_gives_a_place_for_each_key_in_order(store):
    """None for those that are not there, and for what can be no key; a key twice is answered twice."""
    filled(store, [document("a", n=1), document("b", n=2), document("a", n=3) | {"project_id": 2}])
    keys = [key("b"), key("gone"), Key(2, "a"), key("b"), Key("1", "a"), Key(True, "a"), Key([], {}), key("a")]
    found = store.lookup(NAME, keys, fields=["n"])
    assert [one and one.fields["n"] for one in found] == [2, None, 3, 2, None, None, None, 1]
    many = [key(f"x{n}") for n in range(3_000)] + [key("a")]
    assert [one.key for one in store.lookup(NAME, many) if one] == [key("a")]


def scanned(store, query, **how):
    """The keys of each page."""
    return [[one.key for one in page.documents] for page in pages_of(store, query, **how)]


def test_scan_gives_every_document_once_in_the_order_of_keys(store):
    """By routing, then by id; the last page says that it is the last."""
    documents = [document(f"d{n}") | {"project_id": project} for project in (2, -1, 10) for n in range(7)]
    filled(store, documents)
    keys = sorted((Key(one["project_id"], one["id"]) for one in documents), key=lambda k: (k.routing, k.id))
    for size in (1, 2, 7, 20, 21, 22, 10_000):
        pages = scanned(store, Query.all(), size=size)
        assert [one for page in pages for one in page] == keys
        assert all(len(page) == size for page in pages[:-1])
        assert len(pages) == -(-21 // size)
    assert scanned(store, Query.filter(project_id=2, id=["d3", "d5"]), size=1) == [[Key(2, "d3")], [Key(2, "d5")]]
    assert scanned(store, Query.filter(project_id=3)) == [[]]


def test_scan_can_begin_after_any_key(store):
    """Also one that is not there, or that was deleted meanwhile."""
    filled(store, [document(id) for id in "abcd"])
    assert [one.key.id for one in store.scan(NAME, Query.all(), after=key("bb")).documents] == ["c", "d"]
    assert [one.key.id for one in store.scan(NAME, Query.all(), after=Key(0, "zz"), size=2).documents] == ["a", "b"]
    assert store.scan(NAME, Query.all(), after=Key(2, "a")).documents == ()
    store.delete(NAME, [key("b")])
    store.refresh(NAME)
    assert [one.key.id for one in store.scan(NAME, Query.all(), after=key("b")).documents] == ["c", "d"]


def test_keys_go_by_code_points(store):
    """Not by any language's order, nor by UTF-16."""
    names = ["Z", "a", "~", "é", "\uffff", "\U0001f600", "B", "_", "-", "10", "9"]
    filled(store, [document(id) for id in names])
    assert [one.key.id for one in store.scan(NAME, Query.all()).documents] == sorted(names)
    check(store, Query.all(), " ".join(sorted(names)))


@pytest.mark.parametrize(
    ("query", "how", "said"),
    [
        (near(1), {}, "knn or a limit"),
        (Query.all().limit(5), {}, "knn or a limit"),
        (Query.all(), {"size": 0}, "size is 0"),
        (Query.all(), {"size": 10_001}, "10,000"),
        (Query.all(), {"size": True}, "integer"),
        (Query.all(), {"after": Key("x", "a")}, "after"),
        (Query.all(), {"after": "a"}, "no Key"),
    ],
    ids=str,
)
def test_a_scan_that_cannot_be_meant_is_refused(store, query, how, said):
    """With what can be asked instead."""
    filled(store, [document("a", v=[1, 0])])
    with pytest.raises(QueryError, match=said):
        store.scan(NAME, query, **how)


def test_a_search_gives_ten_thousand_and_says_that_there_are_more(store):
    """Count tells all, scan gives all."""
    store.create(SMALL)
    outcomes = store.upsert(NAME, (document(f"d{n:05}", content="common") for n in range(10_001)))
    assert {one.state for one in outcomes} == {"created"}
    store.refresh(NAME)
    for query in (Query.all(), Query.match("common")):
        found = store.search(NAME, query, fields=[])
        assert len(found.candidates) == 10_000
        assert found.has_more
        assert store.count(NAME, query) == 10_001
        assert sum(map(len, scanned(store, query, size=10_000, fields=[]))) == 10_001
    found = store.search(NAME, Query.all().limit(10_000), fields=[])
    assert [one.document.key.id for one in found.candidates] == [f"d{n:05}" for n in range(10_000)]
    assert not found.has_more
    assert [one.document.key.id for one in store.search(NAME, ~Query.filter(id="d00000"), fields=[]).candidates][
        :1
    ] == ["d00001"]


def test_what_comes_out_is_the_callers_own(store):
    """Changing it changes nothing in the store."""
    filled(store, [document("a", kind="x")])
    found = store.lookup(NAME, [key("a")])[0]
    with suppress(TypeError):  # it may be frozen
        found.fields["kind"] = "y"
    assert store.lookup(NAME, [key("a")])[0].fields["kind"] == "x"
