"""The JSON of a query is read back value for value, and an error names the place in it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from query_strategies import QUERIES

from callsite.errors import QueryError
from callsite.query import Query, Schema, from_json, to_json

SCHEMA = Schema.of(project_id="integer", embeddings_v1="vector(2)")


@given(QUERIES)
def test_what_is_written_is_read_back(query):
    """Through real JSON, with values of the same types."""
    assert repr(from_json(json.loads(json.dumps(to_json(query), allow_nan=False)))) == repr(query)


def test_the_form_is_as_documented():
    """One key for each node, several fields in one filter."""
    data = {
        "limit": {
            "query": {
                "and": [
                    {"filter": {"project_id": [1, 2], "at": {"at": "2026-12-01T09:30:00Z"}}},
                    {"not": {"prefix": {"path": "docs/"}}},
                    {"or": [{"match": {"text": "x", "fields": {"path": 3}}}, {"exists": "a"}, {"missing": "b"}]},
                    {"knn": {"target": "v", "vector": [1, 0], "limit": 5}},
                    {"match": {"terms": {"pars": 2}}},
                    {"all": {}},
                ]
            },
            "n": 10,
        }
    }
    assert str(from_json(data)) == (
        'filter(project_id=[1, 2]) and filter(at=@2026-12-01T09:30:00Z) and not prefix(path="docs/") and '
        '(match("x", path=3.0) or exists(a) or missing(b)) and knn(target=v, vector=[1.0, 0.0], limit=5) and '
        'match({"pars": 2.0}) and all limit 10'
    )


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "$: None is no query"),
        ([], "$: [] is no query"),
        ({}, "$: {} is no query"),
        ({"all": {}, "not": {}}, "is no query"),
        ({"filtre": {}}, "$.filtre: there is no such thing"),
        ({1: {}}, "$.1: there is no such thing"),
        ({"all": 1}, "$.all: 1 is no object"),
        ({"filter": {}}, "$.filter: {} is no object"),
        ({"filter": {"projct_id": 1}}, "$.filter: filter(projct_id): there is no field"),
        ({"filter": {"project_id": {"x": 1}}}, "dict"),
        ({"filter": {"project_id": {"at": 5}}}, "5 is no time"),
        ({"filter": {"project_id": {"at": "2026-12-01"}}}, "time zone"),
        ({"and": {"all": {}}}, "$.and: {'all': {}} is no list"),
        (
            {"and": [{"all": {}}, {"or": [{"filter": {"project_id": "1"}}]}]},
            "$.and[1].or[0].filter: filter(project_id)",
        ),
        ({"not": {"limit": {"query": {"all": {}}, "n": 0}}}, "$.not.limit: limit: n is 0"),
        ({"limit": {"n": 1}}, "$.limit: give a query and n"),
        ({"limit": {"query": {"and": 1}, "n": 1}}, "$.limit.query.and: 1 is no list"),
        ({"match": {}}, "$.match: give either a text"),
        ({"match": {"text": "x", "terms": {"x": 1}}}, "either"),
        ({"match": {"terms": ["x"]}}, "an object of terms"),
        ({"match": {"text": "x", "fields": {"content": 1}}}, "path, symbols, words"),
        ({"match": {"text": "x", "slop": 1}}, "'slop' is not known"),
        ({"knn": {"target": "embeddings_v1", "limit": 5}}, "either a vector or a text"),
        ({"knn": {"target": "embeddings_v1", "text": "x"}}, "give a target, a limit"),
        ({"knn": {"target": "embeddings_v1", "vector": [1], "limit": 5}}, "2 dimensions, this vector 1"),
        ({"knn": {"target": 5, "vector": [1], "limit": 5}}, "no name of a field"),
        ({"exists": ["a"]}, "no name of a field"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(data, said):
    """The place as a path from the top."""
    with pytest.raises(QueryError) as caught:
        from_json(data, SCHEMA)
    assert said in str(caught.value)
    assert str(caught.value).startswith("$")


def test_what_is_nested_without_end_is_refused():
    """No recursion runs over."""
    data = {"all": {}}
    for _ in range(5_000):
        data = {"and": [data]}
    with pytest.raises(QueryError):
        from_json(data)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["and", "or", "not", "limit", "query", "n", "filter", "knn", "target", "vector", "text",
                             "match", "terms", "fields", "path", "exists", "all", "at"]), inner, max_size=3),
    ),
)  # fmt: skip


@given(JSON)
def test_any_json_is_a_query_or_a_query_error(data):
    """Nothing else is raised."""
    try:
        assert isinstance(from_json(data, SCHEMA), Query)
    except QueryError as error:
        assert str(error).startswith("$")
