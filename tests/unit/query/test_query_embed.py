"""Texts to embed are collected from all queries at once, and their vectors take their places."""

from __future__ import annotations

import pytest
from hypothesis import given
from query_strategies import QUERIES

from callsite.errors import QueryError
from callsite.query import Query, texts_of, with_vectors


def test_each_text_is_asked_for_once_with_its_field():
    """The field says which model embeds it."""
    one = Query.knn(target="v1", text="a", limit=1) | Query.knn(target="v2", text="a", limit=1).limit(1)
    two = Query.filter(x=1).knn(target="v1", text="a", limit=9) & Query.knn(target="v1", vector=[1], limit=1)
    assert texts_of(one, two) == (("v1", "a"), ("v2", "a"))


def test_vectors_take_the_places_of_texts():
    """Everything else stays."""
    query = (Query.match("m") | Query.knn(target="v1", text="a", limit=4)) & ~Query.filter(x=1)
    embedded = with_vectors(query, {("v1", "a"): [0.5, 1]})
    assert str(embedded) == '(match("m") or knn(target=v1, vector=[0.5, 1.0], limit=4)) and not filter(x=1)'
    assert texts_of(embedded) == ()


@pytest.mark.parametrize("vectors", [{}, {("v2", "a"): [1.0]}, {("v1", "a"): [float("nan")]}, {("v1", "a"): []}])
def test_a_vector_that_is_not_there_is_told(vectors):
    """Or one that is none: what a provider gave is not trusted."""
    with pytest.raises(QueryError, match=r"knn\(target=v1\)"):
        with_vectors(Query.knn(target="v1", text="a", limit=4), vectors)


@given(QUERIES)
def test_after_embedding_no_text_is_left(query):
    """And the shape is the same."""
    embedded = with_vectors(query, {asked: [1.0, 2.0] for asked in texts_of(query)})
    assert texts_of(embedded) == ()
    assert len(embedded.legs()) == len(query.legs())
