"""Collections are made, changed and removed the same way on every store."""

from __future__ import annotations

import pytest
from samples import FIELDS, LEXICAL, SMALL, check, document, everything, filled, ids, key, states

from callsite.collections import Collection, chunks
from callsite.errors import CollectionError, QueryError
from callsite.query import Field, Query, Schema
from callsite.stores import Change, Key
from callsite.values import replace

KEYWORD = Collection.of("by_name", routing="tenant", fields={"tenant": "keyword", "n": "integer"})


def test_a_collection_is_there_as_it_was_defined(store):
    """Definition for definition, by name; a store without any has none."""
    assert store.collections() == ()
    for collection in (SMALL, KEYWORD, chunks(dims=256)):
        store.create(collection)
    assert store.collections() == (KEYWORD, chunks(dims=256), SMALL)
    assert store.count(SMALL.name, Query.all()) == 0


def test_creating_once_more_does_nothing_and_another_one_of_the_name_is_refused(store):
    """So a migration that was cut off can be run again."""
    filled(store, [document("a")])
    store.create(SMALL)
    assert ids(store, Query.all()) == ["a"]
    with pytest.raises(CollectionError, match="small"):
        store.create(Collection.of("small", routing="project_id", fields={"project_id": "integer"}))
    assert store.collections() == (SMALL,)


def test_a_dropped_collection_is_gone_with_its_documents(store):
    """Whether it was there is told; made again, it is empty."""
    filled(store, [document("a")])
    store.create(KEYWORD)
    assert store.drop("small") is True
    assert store.drop("small") is False
    assert store.collections() == (KEYWORD,)
    filled(store, [document("b")])
    assert ids(store, Query.all()) == ["b"]


def test_collections_do_not_see_each_other(store):
    """The same keys in two of them are two documents."""
    other = Collection.of("other", routing="project_id", fields=FIELDS, lexical=LEXICAL)
    filled(store, [document("a", content="header", n=1)])
    filled(store, [document("a", content="other", n=2), document("b")], other)
    assert ids(store, Query.match("header")) == ["a"]
    assert ids(store, Query.match("header"), other) == []
    assert store.delete_orphans("other", of=Query.all(), keep=set()) == 2
    assert ids(store, Query.all()) == ["a"]


MORE = {
    "archived": "boolean",
    "branches": "keywords",
    "extension": "keyword",
    "repository_access_level": "integer",
    "traversal_ids": "integers",
    "seen_at": "timestamp",
    "note": "text",
    "embeddings_v2": "vector(3)",
}


def test_fields_are_added_to_a_filled_collection(store):
    """All kinds; what was there has no value in them until it is written, then they are asked like others."""
    filled(store, [document("a", kind="x", content="header", v=[1, 0]), document("b", kind="y")])
    wider = SMALL.changed(add=MORE, metadata={"searched": "embeddings_v2"})
    store.change(wider)
    assert store.collections() == (wider,)
    assert wider.version == 2
    store.refresh("small")
    for name in MORE:
        check(store, Query.missing(name), "a b")
    check(store, Query.knn(target="embeddings_v2", vector=[1, 0, 0], limit=5), "")
    values = {"archived": False, "branches": ["main"], "repository_access_level": 20, "traversal_ids": [1, 2]}
    change = Change(key=key("b"), fields=values | {"embeddings_v2": [1, 2, 3], "extension": "rb"})
    assert states(store.update("small", [change])) == ["updated"]
    assert states(store.upsert("small", [document("c", archived=True, note="kept")])) == ["created"]
    store.refresh("small")
    check(store, Query.filter(archived=False, branches="main", traversal_ids=2), "b")
    check(store, Query.prefix(extension="r") | Query.filter(archived=True), "b c")
    check(store, Query.knn(target="embeddings_v2", vector=[1, 0, 0], limit=5), "b")
    check(store, Query.match("header") | Query.knn(target="v", vector=[1, 0], limit=5), "a")
    assert everything(store)[key("a")] == {"project_id": 1, "kind": "x", "content": "header", "v": (1.0, 0.0)}
    assert dict(store.stats("small").n_filled) == {"embeddings_v2": 1, "v": 1, "w": 0}


def test_a_change_can_be_made_once_more_and_an_impossible_one_is_refused(store):
    """Nothing is lost by either."""
    filled(store, [document("a", n=1)])
    wider = SMALL.changed(add={"extra": "keyword"})
    store.change(wider)
    store.change(wider)
    fields = SMALL.schema.kinds()
    for fields_now, said in [
        (fields | {"extra": "integer"}, "extra"),
        ({name: kind for name, kind in fields.items() if name != "n"} | {"extra": "keyword"}, "n is integer"),
        (fields, "extra"),
    ]:
        with pytest.raises(CollectionError, match=said):
            store.change(Collection.of("small", routing="project_id", fields=fields_now, lexical=LEXICAL, version=3))
    with pytest.raises(CollectionError, match="version"):
        store.change(replace(wider, metadata=(("searched", "v"),)))
    with pytest.raises(CollectionError, match="routing"):
        store.change(replace(wider, routing="n", version=3))
    with pytest.raises(CollectionError, match="no collection"):
        store.change(KEYWORD)
    assert store.collections() == (wider,)
    assert everything(store) == {key("a"): {"project_id": 1, "n": 1}}


def test_documents_can_lie_by_a_keyword(store):
    """The routing value is a text then, and keys are told apart by it."""
    names = ["a", "A", "a/b", "a'b", "日本", "x" * 200]
    filled(store, [{"id": "same", "tenant": name, "n": n} for n, name in enumerate(names)], KEYWORD)
    for n, name in enumerate(names):
        found = store.search("by_name", Query.filter(tenant=name)).candidates
        assert [(one.document.key, one.document.fields["n"]) for one in found] == [(Key(name, "same"), n)]
    assert [one and one.fields["n"] for one in store.lookup("by_name", [Key("a/b", "same"), Key("b", "same")])] == [
        2,
        None,
    ]
    for routing in ("", 1, "x" * 201):
        assert states(store.upsert("by_name", [{"id": "a", "tenant": routing}])) == ["refused"]
    assert states(store.delete("by_name", [Key("A", "same")])) == ["deleted"]
    store.refresh("by_name")
    page = store.scan("by_name", Query.all())
    assert [one.key.routing for one in page.documents] == ["a", "a'b", "a/b", "x" * 200, "日本"]


@pytest.mark.parametrize("name", ["gone", "small; DROP TABLE small", '"', "_all", "*", "", "../x", "small,other"])
def test_a_collection_that_is_not_there_is_named(store, name):
    """By every call, whatever the name looks like; dropping it says that it was not there."""
    store.create(SMALL)
    for ask in (
        lambda: store.upsert(name, [document("a")]),
        lambda: store.update(name, []),
        lambda: store.delete(name, [key("a")]),
        lambda: store.delete_orphans(name, of=Query.all(), keep=set()),
        lambda: store.lookup(name, [key("a")]),
        lambda: store.search(name, Query.all()),
        lambda: store.count(name, Query.all()),
        lambda: store.scan(name, Query.all()),
        lambda: store.refresh(name),
        lambda: store.stats(name),
    ):
        with pytest.raises(CollectionError, match="there is no collection"):
            ask()
    assert store.drop(name) is False
    assert store.collections() == (SMALL,)


def test_a_store_says_how_it_is_and_how_much_it_holds(store):
    """Documents, and for each field of vectors how many have one."""
    filled(store, [document("a", v=[1, 2], w=[1, 2]), document("b", v=[1, 2]), document("c")])
    stats = store.stats("small")
    assert (stats.n_documents, dict(stats.n_filled)) == (3, {"v": 2, "w": 1})
    health = store.health()
    assert health.is_well
    assert health.engine


def test_fields_that_are_not_there_are_refused_when_they_are_asked_for(store):
    """Instead of giving nothing."""
    filled(store, [document("a")])
    for ask in (
        lambda: store.search("small", Query.all(), fields=["other"]),
        lambda: store.lookup("small", [key("a")], fields=["n; --"]),
        lambda: store.scan("small", Query.all(), fields=["kind", "knd"]),
    ):
        with pytest.raises(QueryError, match="no field"):
            ask()


@pytest.mark.parametrize(
    "forged",
    [
        replace(SMALL, name='x"; DROP TABLE small; --'),
        replace(SMALL, name="Small"),
        replace(SMALL, routing="gone"),
        replace(SMALL, lexical=(("words", "n"),)),
        replace(
            SMALL, schema=Schema(fields=(Field(name="project_id", kind="integer"), Field(name="a b", kind="text")))
        ),
        replace(
            SMALL, schema=Schema(fields=(Field(name="project_id", kind="integer"), Field(name="v", kind="vector")))
        ),
    ],
    ids=str,
)
def test_a_definition_that_was_put_together_by_hand_is_checked_again(store, forged):
    """Its names become names of tables and fields."""
    filled(store, [document("a")])
    with pytest.raises(CollectionError):
        store.create(replace(forged, version=2))
    with pytest.raises(CollectionError):
        store.change(replace(forged, version=2))
    assert store.collections() == (SMALL,)
    assert ids(store, Query.all()) == ["a"]
