"""What the page on the query language calls a bound can be had, on every store."""

from __future__ import annotations

from samples import FIELDS, LEXICAL, SMALL, check, document, filled, ids, key, states

from callsite.collections import Collection
from callsite.query import Query
from callsite.query.fields import MOST_DIMS, MOST_FIELDS
from callsite.query.make import DEEPEST, MOST_NODES, MOST_TERMS, MOST_VALUES
from callsite.stores import Change

NAME = SMALL.name


def test_a_filter_can_have_as_many_values_as_the_bound_says(store):
    """Numbers and texts; those that are there are found among them."""
    filled(store, [document("a", n=7, kind="k65535"), document("b", n=70_000, kind="x")])
    check(store, Query.filter(n=range(MOST_VALUES)), "a")
    check(store, Query.filter(kind=[f"k{n}" for n in range(MOST_VALUES)]), "a")
    check(store, ~Query.filter(id=[f"{n}" for n in range(MOST_VALUES - 1)] + ["b"]), "a")


def test_a_match_can_have_as_many_terms_as_the_bound_says(store):
    """In all lexical fields at once."""
    filled(store, [document("a", content="needle"), document("b", content="hay")])
    check(store, Query.match({"needl": 1.0} | {f"term{n}": 1.0 for n in range(MOST_TERMS - 1)}), "a")


def test_a_query_can_have_as_many_parts_as_the_bound_says(store):
    """Beside each other, and below each other."""
    filled(store, [document("a", n=1), document("b", n=2)])
    check(store, Query.or_(*(Query.filter(n=n) for n in range(2, MOST_NODES + 1))), "b")
    check(store, Query.and_(*(~Query.filter(n=n) for n in range(2, MOST_NODES // 2))), "a")
    deep = Query.filter(n=1)
    for level in range(DEEPEST - 1):
        deep = [Query.or_, Query.and_][level % 2](deep, Query.exists("n"))
    check(store, deep, "a b")


def test_a_collection_can_have_as_many_fields_as_the_bound_says(store):
    """Of all kinds; a document can have a value in each."""
    fields = FIELDS | {f"field{n}": "keyword" for n in range(MOST_FIELDS - len(FIELDS))}
    broad = Collection.of("broad", routing="project_id", fields=fields, lexical=LEXICAL)
    values = {name: "x" for name in fields if name.startswith("field")}
    filled(store, [document("a", **values)], broad)
    assert ids(store, Query.filter(**values), broad) == ["a"]


def test_a_vector_can_have_as_many_dimensions_as_the_bound_says(store):
    """More than most indexes of servers take: then it is compared one by one."""
    long = Collection.of("long", routing="project_id", fields={"project_id": "integer", "v": f"vector({MOST_DIMS})"})
    vectors = {"a": [1.0] * MOST_DIMS, "b": [1.0, -1.0] * (MOST_DIMS // 2), "c": [1.0] * (MOST_DIMS - 1) + [-1.0]}
    filled(store, [document(id, v=vector) for id, vector in vectors.items()], long)
    assert ids(store, Query.knn(target="v", vector=vectors["a"], limit=3), long) == ["a", "c", "b"]


def test_one_call_can_have_very_many_items(store):
    """A store cuts them into what its server takes; outcomes come in order all the same."""
    n = 12_000
    store.create(SMALL)
    batch = (document(f"d{i:05}", n=i, kind="k") for i in range(n))
    assert states(store.upsert(NAME, batch)) == ["created"] * n
    changes = (Change(key=key(f"d{i:05}" if i % 3 else f"gone{i}"), fields={"n": -i}) for i in range(n))
    assert states(store.update(NAME, changes)) == ["updated" if i % 3 else "missing" for i in range(n)]
    found = store.lookup(NAME, (key(f"d{i:05}") for i in range(n)), fields=["n"])
    assert [one.fields["n"] for one in found] == [-i if i % 3 else i for i in range(n)]
    gone = (key(f"d{i:05}" if i % 2 else f"gone{i}") for i in range(n))
    assert states(store.delete(NAME, gone)) == ["deleted" if i % 2 else "missing" for i in range(n)]
    store.refresh(NAME)
    assert store.count(NAME, Query.all()) == n // 2
