"""Fields have kinds; what a collection can't keep or compare is said, and a query is compared with them."""

from __future__ import annotations

from array import array
from datetime import UTC, datetime

import pytest

from callsite.errors import QueryError
from callsite.query import Query, Schema, checked
from callsite.query.fields import normal, value_problem
from callsite.query.nodes import Knn

SCHEMA = Schema.of(
    project_id="integer", path="keyword", content="text", archived="boolean", at="timestamp",
    traversal_ids="integers", branches="keywords", embeddings_v1="vector(2)",
)  # fmt: skip
NOW = datetime(2026, 12, 1, tzinfo=UTC)


def test_a_schema_is_made_of_names_and_kinds():
    """And tells them again; `id` is always there."""
    assert Schema.of(**SCHEMA.kinds()) == SCHEMA
    assert SCHEMA.field("embeddings_v1").dims == 2
    assert SCHEMA.field("id").kind == "keyword"
    assert SCHEMA.field("nothing") is None


@pytest.mark.parametrize(
    "kinds",
    [
        {"a": "number"}, {"a": "vector"}, {"a": "vector(0)"}, {"a": "vector(5000)"}, {"a": "vector(-1)"}, {"a": 5},
        {"A": "integer"}, {"a-b": "integer"}, {"id": "integer"}, {"version": "keyword"}, {"": "integer"},
        {f"a{n}": "integer" for n in range(201)},
    ],
)  # fmt: skip
def test_what_is_no_schema_is_refused(kinds):
    """Unknown kinds, names that a store could not take, names that are taken."""
    with pytest.raises(QueryError):
        Schema.of(**kinds)


@pytest.mark.parametrize(
    ("field", "value", "kept"),
    [
        ("project_id", 5, 5),
        ("path", "a.py", "a.py"),
        ("content", "x" * 100_000, "x" * 100_000),
        ("archived", True, True),
        ("at", NOW, NOW),
        ("traversal_ids", [1, 2, 1], (1, 2, 1)),
        ("branches", ("main",), ("main",)),
        ("branches", [], None),
        ("embeddings_v1", [0.1, 2], (0.10000000149011612, 2.0)),
        ("embeddings_v1", array("d", [1, 2]), (1.0, 2.0)),
    ],
)
def test_values_are_kept_as_all_stores_keep_them(field, value, kept):
    """Vectors in single precision, an empty list as no value."""
    assert value_problem(SCHEMA.field(field), value) == ""
    assert normal(SCHEMA.field(field), value) == kept


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("project_id", True, "an integer, not True"),
        ("project_id", "1", "an integer"),
        ("project_id", 2**63, "64 bits"),
        ("path", 1, "a text"),
        ("path", "x" * 8_192, "8,191"),
        ("path", "a\0", "NUL"),
        ("content", "\ud800", "UTF-8"),
        ("archived", 1, "true or false"),
        ("at", "2026-12-01", "a time"),
        ("at", datetime(2026, 12, 1), "time zone"),
        ("traversal_ids", 1, "a list of integers"),
        ("traversal_ids", [1, "2"], "a list of integers"),
        ("branches", "main", "a list of texts"),
        ("branches", ["a\0"], "NUL"),
        ("embeddings_v1", [1], "2 dimensions, this vector 1"),
        ("embeddings_v1", [1, float("nan")], "nan at position 1"),
        ("embeddings_v1", [0, 0], "no direction"),
        ("embeddings_v1", [1, 1e39], "inf at position 1"),
        ("embeddings_v1", "ab", "a list of numbers"),
        ("embeddings_v1", b"abcdefgh", "a list of numbers"),
        ("embeddings_v1", None, "a list of numbers"),
    ],
)
def test_values_that_a_store_could_not_keep_are_told(field, value, said):
    """The same for every store."""
    assert said in value_problem(SCHEMA.field(field), value)


@pytest.mark.parametrize(
    "query",
    [
        Query.filter(project_id=[1, 2], path="a", archived=False, at=NOW, traversal_ids=3, branches="main", id="x"),
        Query.filter(path=[]),
        Query.prefix(path="src/", branches=["a", "b"], id="4f"),
        *(Query.exists(name) & Query.missing(name) for name in SCHEMA.kinds()),
        Query.match("x").knn(target="embeddings_v1", vector=[1, 0], limit=3).limit(2),
        Query.knn(target="embeddings_v1", text="x", limit=3),
    ],
)
def test_a_query_that_fits_is_checked(query):
    """Nothing is changed."""
    assert checked(query, SCHEMA) == query


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (Query.filter(project=1), "filter(project): there is no field project; did you mean project_id?"),
        (Query.filter(project_id="1"), "filter(project_id): '1' is not an integer, as project_id holds"),
        (Query.filter(archived=1), "true or false"),
        (Query.filter(branches=1), "1 is not a text, as branches holds"),
        (Query.filter(embeddings_v1=1), "search it with knn"),
        (Query.filter(content="x"), "match"),
        (Query.prefix(project_id="1"), "use filter"),
        (Query.prefix(content="x"), "match"),
        (Query.exists("zzzz"), "exists(zzzz): there is no field zzzz; use id, archived"),
        (Query.knn(target="path", text="x", limit=1), "holds no vectors"),
        (Query.knn(target="embeddings_v2", text="x", limit=1), "did you mean embeddings_v1?"),
        (Query.knn(target="embeddings_v1", vector=[1, 2, 3], limit=1), "2 dimensions, this vector 3"),
        (Query(Knn(target="embeddings_v1", limit=-1, vector=(1.0, 0.0))), "limit is -1"),
    ],
)
def test_a_query_that_does_not_fit_is_refused(query, said):
    """However deep the node stands."""
    for whole in (query, Query.all() & (query | Query.all().limit(2))):
        with pytest.raises(QueryError) as caught:
            checked(whole, SCHEMA)
        assert said in str(caught.value)
