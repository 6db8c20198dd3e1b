"""Queries are put together from frozen parts, and what can't be meant is refused when it is built."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from query_strategies import QUERIES

from callsite.errors import QueryError
from callsite.query import Query
from callsite.query.make import DEEPEST, MOST_NODES, again
from callsite.query.nodes import And, Filter, Knn, Limit, Match, Not, Or, is_settled


def check(query, expected):
    assert str(query) == expected


def refused(build, *said):
    with pytest.raises(QueryError) as caught:
        build()
    for part in said:
        assert part in str(caught.value)


def test_the_example_of_the_design_can_be_built():
    """Nested conditions, then the nearest five among what passes them."""
    query = Query.and_(
        Query.filter(project_id=1),
        Query.filter(branch_name="master"),
        Query.or_(Query.filter(language="ruby"), Query.filter(extension="rb")),
    ).knn(target="embeddings_v1", vector=[0.5, 0.25], limit=5)
    check(
        query,
        'filter(project_id=1) and filter(branch_name="master") and (filter(language="ruby") or '
        'filter(extension="rb")) and knn(target=embeddings_v1, vector=[0.5, 0.25], limit=5)',
    )


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query.filter(project_id=1), "filter(project_id=1)"),
        (Query.filter(project_id=[1, 2]), "filter(project_id=[1, 2])"),
        (Query.filter(project_id=(2, 1, 2)), "filter(project_id=[2, 1])"),
        (Query.filter(project_id={2, 1}), "filter(project_id=[1, 2])"),
        (Query.filter(project_id=range(2)), "filter(project_id=[0, 1])"),
        (Query.filter(project_id=[]), "filter(project_id=[])"),
        (Query.filter(a=1, b="x"), 'filter(a=1) and filter(b="x")'),
        (Query.filter(a=True), "filter(a=true)"),
        (Query.filter(), "all"),
        (Query.prefix(path=["src/", "lib/"]), 'prefix(path=["src/", "lib/"])'),
        (Query.exists("a") & Query.missing("b"), "exists(a) and missing(b)"),
        (Query.match("parse header"), 'match("parse header")'),
        (Query.match("x", words=2, path=3), 'match("x", path=3.0, words=2.0)'),
        (Query.match({"pars": 2, "=a": 0.5}), 'match({"pars": 2.0, "=a": 0.5})'),
        (Query.and_(), "all"),
        (Query.or_(), "not all"),
        (Query.and_(Query.all()), "all"),
    ],
)
def test_what_is_built_prints_itself(query, expected):
    """A list is any of its values, several keys are joined, doubles are dropped, no key is everything."""
    check(query, expected)


def test_verbs_narrow_a_query_and_leave_it_as_it_is():
    """Each call gives a new query; the one before can go on to be used."""
    base = Query.filter(a=1)
    narrowed = base.prefix(path="src/").match("x").limit(3)
    check(base, "filter(a=1)")
    check(narrowed, 'filter(a=1) and prefix(path="src/") and match("x") limit 3')


def test_operators_join_like_the_verbs():
    """`&`, `|` and `~`; what they join keeps its shape by parentheses."""
    a, b, c = (Query.filter(**{name: 1}) for name in "abc")
    assert a & b == Query.and_(a, b) == a.and_(b)
    assert a | b == Query.or_(a, b) == a.or_(b)
    assert ~a == Query.not_(a) == a.not_()
    check(~(a | b) & (b | c), "not (filter(a=1) or filter(b=1)) and (filter(b=1) or filter(c=1))")
    check((a & b).limit(2) | c, "(filter(a=1) and filter(b=1) limit 2) or filter(c=1)")
    with pytest.raises(TypeError):
        a & "b"


def test_joining_is_associative():
    """No `and` stands directly in an `and`, no `or` in an `or`, so how it was put together does not matter."""
    a, b, c = (Query.filter(**{name: 1}) for name in "abc")
    assert (a & b) & c == a & (b & c)
    assert (a | b) | c == a | (b | c)
    assert a.limit(7).limit(3) == a.limit(3).limit(7) == a.limit(3)


def test_a_query_is_neither_true_nor_false():
    """`a and b` would silently be `b`."""
    with pytest.raises(TypeError, match="join queries"):
        bool(Query.all())


def test_queries_are_values():
    """Equal ones are equal, can be keys, and can't be changed."""
    assert {Query.filter(a=1): "x"}[Query.filter(a=1)] == "x"
    with pytest.raises(AttributeError):
        Query.all().node = None


def test_times_are_kept_in_utc_and_whole_milliseconds():
    """The finest that all stores keep."""
    there = timezone(timedelta(hours=2))
    query = Query.filter(at=datetime(2026, 12, 1, 2, 0, 0, 123_999, tzinfo=there))
    assert query.node.values == (datetime(2026, 12, 1, 0, 0, 0, 123_000, tzinfo=UTC),)
    check(query, "filter(at=@2026-12-01T00:00:00.123000Z)")


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: Query.filter(a=None), "missing(field)"),
        (lambda: Query.filter(a=1.5), "float"),
        (lambda: Query.filter(a=b"x"), "bytes"),
        (lambda: Query.filter(a={"x": 1}), "dict"),
        (lambda: Query.filter(a=[1, "x"]), "several types"),
        (lambda: Query.filter(a=[1, True]), "several types"),
        (lambda: Query.filter(a=2**63), "64 bits"),
        (lambda: Query.filter(a="x\0"), "NUL"),
        (lambda: Query.filter(a="\udc80"), "UTF-8"),
        (lambda: Query.filter(a="x" * 9_000), "8,191"),
        (lambda: Query.filter(a=datetime(2026, 1, 1)), "time zone"),
        (lambda: Query.filter(a=range(10**12)), "65,536"),
        (lambda: Query.filter(**{"a) or (1=1": 1}), "no name of a field"),
        (lambda: Query.filter(A=1), "small letters"),
        (lambda: Query.prefix(a=1), "no text"),
        (lambda: Query.exists("a b"), "no name of a field"),
        (lambda: Query.missing(None), "no name of a field"),
        (lambda: Query.match(None), "no text"),
        (lambda: Query.match("x", content=1), "path, symbols, words"),
        (lambda: Query.match("x", path=0), "above 0"),
        (lambda: Query.match("x", path=float("nan")), "above 0"),
        (lambda: Query.match({}), "no terms"),
        (lambda: Query.match({"a b": 1}), "single term"),
        (lambda: Query.match({"": 1}), "single term"),
        (lambda: Query.match({"a": -1}), "above 0"),
        (lambda: Query.match({1: 1}), "no term"),
        (lambda: Query.match({f"a{n}": 1 for n in range(1_001)}), "1,000"),
        (lambda: Query.all().limit(0), "limit: n is 0"),
        (lambda: Query.all().limit(10_001), "10,000"),
        (lambda: Query.all().limit(True), "integer from 1"),
    ],
)
def test_what_cannot_be_meant_is_refused_when_it_is_built(build, said):
    """The message names what is wrong."""
    refused(build, said)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"vector": [1.0], "limit": 0}, "limit is 0"),
        ({"vector": [1.0], "limit": -5}, "limit is -5"),
        ({"vector": [1.0], "limit": 2.5}, "limit is 2.5"),
        ({"vector": [1.0], "limit": 10_001}, "from 1 to 10,000"),
        ({"vector": [], "limit": 5}, "empty"),
        ({"vector": [0.0, 0.0], "limit": 5}, "no direction"),
        ({"vector": [1e-200], "limit": 5}, "no direction"),
        ({"vector": [1e200, 1e200], "limit": 5}, "no direction"),
        ({"vector": [1.0, float("nan")], "limit": 5}, "nan at position 1"),
        ({"vector": [float("-inf")], "limit": 5}, "-inf at position 0"),
        ({"vector": "1234", "limit": 5}, "no vector"),
        ({"vector": b"1234", "limit": 5}, "no vector"),
        ({"vector": ["1"], "limit": 5}, "no vector"),
        ({"vector": 5, "limit": 5}, "no vector"),
        ({"vector": [1.0], "text": "x", "limit": 5}, "either a vector or a text"),
        ({"limit": 5}, "either a vector or a text"),
        ({"text": "  ", "limit": 5}, "empty"),
        ({"text": "\udc80", "limit": 5}, "UTF-8"),
        ({"text": 5, "limit": 5}, "no text"),
    ],
)
def test_a_knn_that_cannot_be_meant_is_refused_when_it_is_built(arguments, said):
    """The message names the field and what is wrong with it."""
    refused(lambda: Query.knn(target="embeddings_v1", **arguments), "knn(target=embeddings_v1)", said)


@pytest.mark.parametrize("inside", [Query.knn(target="v", vector=[1], limit=3), Query.filter(a=1).limit(3)])
def test_knn_and_limit_stand_in_no_not(inside):
    """However deep they are in it: all but the nearest is no question."""
    refused(lambda: ~inside, "put the `not` inside")
    refused(lambda: Query.not_(Query.match("x") | inside.filter(b=1)), "put the `not` inside")


def test_depth_and_size_are_bounded():
    """What servers would refuse, or never come back from, is refused here."""
    query = Query.filter(a=1)
    with pytest.raises(QueryError, match=f"at most {DEEPEST}"):
        for _ in range(DEEPEST):
            query = ~query
    refused(lambda: Query.or_(*[Query.filter(a=n) for n in range(MOST_NODES + 1)]), "use lists of values")


def test_legs_are_what_scores_from_left_to_right():
    """A match in a `not` is a condition only."""
    query = (
        (Query.match("a") | Query.knn(target="v", vector=[1], limit=3).limit(2)) & ~Query.match("b") & Query.match("c")
    )
    assert [type(leg) for leg in query.legs()] == [Match, Knn, Match]
    assert [leg.text for leg in query.legs()] == ["a", "", "c"]


@given(QUERIES)
def test_a_query_that_was_built_can_be_built_again(query):
    """`again` refuses nothing that the verbs let through, and changes nothing."""
    assert again(query.node) == query.node


@given(QUERIES)
def test_joins_are_flat_and_a_not_is_settled(query):
    """What `make` promises about every tree."""
    todo = [query.node]
    while todo:
        node = todo.pop()
        below = getattr(node, "parts", None) or ([node.part] if isinstance(node, Not | Limit) else [])
        if isinstance(node, And | Or):
            assert len(below) > 1 and not any(type(one) is type(node) for one in below)
        assert not isinstance(node, Not) or is_settled(node.part)
        todo += below


def test_what_was_put_together_by_hand_is_refused_later():
    """Nodes are plain values; `again` looks at what they hold."""
    refused(lambda: again(Filter(field="a;b", values=(1,))), "no name of a field")
    refused(lambda: again(Knn(target="v", limit=0, vector=(1.0,))), "limit is 0")
    refused(lambda: again(Not(part=Limit(part=Filter(field="a", values=()), n=1))), "put the `not` inside")


@given(st.text(max_size=30))
def test_any_text_can_be_matched_or_is_refused(text):
    """Nothing else happens."""
    try:
        assert Query.match(text).node.text == text
    except QueryError as error:
        assert "\0" in text or "UTF-8" in str(error)
