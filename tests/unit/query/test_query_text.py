"""The text of a query is read back value for value, and an error points at what is wrong."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from query_strategies import QUERIES

from callsite.errors import QueryError
from callsite.query import Query, Schema, parse

SCHEMA = Schema.of(
    project_id="integer", path="keyword", content="text", archived="boolean", at="timestamp",
    traversal_ids="integers", embeddings_v1="vector(2)",
)  # fmt: skip


def check(text, expected):
    assert parse(text) == expected


def said(text, schema=None):
    with pytest.raises(QueryError) as caught:
        parse(text, schema)
    return str(caught.value)


@given(QUERIES)
@example(Query.filter(a="\x1b[31m\"\\\u2028\x9b\n' and all"))
@example(Query.knn(target="v", vector=[-0.0, 1e-05, 1e14], limit=1))
@example(Query.filter(a=[True, False]) & Query.filter(a=[1, 0]))
def test_what_is_written_is_read_back(query):
    """The same nodes with values of the same types, on one line without a control character."""
    text = str(query)
    assert repr(parse(text)) == repr(query)
    assert text.isprintable()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("all", Query.all()),
        ("  filter( a = 1 ,\n b=[ ] )\t", Query.filter(a=1) & Query.filter(b=[])),
        ("filter(a=1,)", Query.filter(a=1)),
        ("filter(a=[-1, 2])", Query.filter(a=[-1, 2])),
        ("filter(a=true) or filter(b=false)", Query.filter(a=True) | Query.filter(b=False)),
        ('filter(a="caf\\u00e9 \\"x\\"")', Query.filter(a='café "x"')),
        ("not all or all and all", Query.or_(~Query.all(), Query.all() & Query.all())),
        ("not (all or all)", ~(Query.all() | Query.all())),
        ("all limit 5 limit 3", Query.all().limit(3)),
        ("all and (all limit 5)", Query.all() & Query.all().limit(5)),
        ('match("x", path=3)', Query.match("x", path=3)),
        ('match({"a": 1, "b": 2.5})', Query.match({"a": 1, "b": 2.5})),
        ('knn(limit=5, text="x", target=v)', Query.knn(target="v", text="x", limit=5)),
        ("knn(target=v, vector=[1, -2.5e-3, .5], limit=5)", Query.knn(target="v", vector=[1, -0.0025, 0.5], limit=5)),
        ("filter(limit=1) and exists(all)", Query.filter(limit=1) & Query.exists("all")),
    ],
)
def test_people_may_write_it_more_freely(text, expected):
    """White space, an order of their own, whole numbers, a comma too many."""
    check(text, expected)


def test_and_binds_tighter_than_or_and_limit_is_loosest():
    """As everywhere."""
    a, b, c = (Query.filter(**{name: 1}) for name in "abc")
    check("filter(a=1) or filter(b=1) and filter(c=1) limit 2", (a | (b & c)).limit(2))
    check("(filter(a=1) or filter(b=1)) and filter(c=1)", (a | b) & c)


def test_an_error_names_line_and_column_and_points_at_the_place():
    """Also on a later line of the text."""
    assert said("filter(a=1)\n  and filter(b=)") == (
        "line 2, column 16: `)` is not expected here, but a value\n    and filter(b=)\n                 ^"
    )


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("", 1, "the end is not expected here"),
        ("filter", 7, "the end is not expected here, but `(`"),
        ("filter(a=1", 11, "but `,` or `)`"),
        ("filter(a=1) filter(b=1)", 13, "but `and`, `or`, `limit` or the end"),
        ("filter(a=1) AND all", 13, "`AND` is not expected here"),
        ("(all", 5, "but `and`, `or`, `limit` or `)`"),
        ("filtre(a=1)", 1, "one of filter, prefix"),
        ("filter()", 1, 'write filter(name="value")'),
        ('filter("a")', 1, "by name"),
        ("filter(a=ruby)", 8, 'a="ruby"'),
        ("filter(a=[ruby])", 11, '"ruby"'),
        ("filter(a='ruby')", 10, "double quotes"),
        ('filter(a="ruby)', 10, "no end"),
        ('filter(a="\\q")', 10, "escape"),
        ("filter(a=1.5)", 8, "float"),
        ("filter(a=1, a=2)", 1, "a is given twice"),
        ("filter(a=[1 2])", 13, "but `,` or `]`"),
        ("filter(a=99999999999999999999999)", 10, "64 bits"),
        ("filter(a=@2026-12-01)", 10, "no time with its zone"),
        ("filter(a=@yesterday)", 10, "no time with its zone"),
        ("all & all", 5, "write `and`"),
        ("all limit", 10, "but an integer"),
        ("all limit 2.5", 11, "but an integer"),
        ("all limit 0", 5, "n is 0"),
        ("match(x)", 1, 'match("words")'),
        ("match()", 1, 'match("words")'),
        ('match({"a": 1, "a": 2})', 16, "was not named before"),
        ('match({"a" 1})', 12, "but `:`"),
        ('match("x", content=1)', 1, "path, symbols, words"),
        ("knn(target=v)", 1, "limit=10"),
        ('knn(target="v", text="x", limit=1)', 1, "target=field"),
        ('knn(target=v, text="x", limit=1, k=1)', 1, "not k"),
        ("exists(a, b)", 1, "one field"),
        ('all and not (all and knn(target=v, text="x", limit=1))', 9, "put the `not` inside"),
        ("\x1b[31m", 1, "no meaning"),
    ],
)
def test_what_cannot_be_read_is_pointed_at(text, column, problem):
    """Where it is, what is wrong, and what to write."""
    message = said(text)
    first, _, caret = message.split("\n")
    assert first.startswith(f"line 1, column {column}: "), first
    assert problem in first
    assert caret == "  " + " " * (column - 1) + "^"
    assert message.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("all and filter(projct_id=1)", 16, "did you mean project_id?"),
        ("filter(zzz=1)", 8, "use id, archived, at, content"),
        ('filter(path="x", project_id="1")', 18, "is not an integer"),
        ("filter(archived=1)", 8, "true or false"),
        ("filter(project_id=true)", 8, "is not an integer"),
        ('filter(at="2026-12-01T00:00:00Z")', 8, "a time with its zone"),
        ('filter(content="x")', 8, "match"),
        ("filter(embeddings_v1=[])", 8, "knn"),
        ("filter(traversal_ids=[1, 2], id=3)", 30, "is not a text"),
        ("prefix(project_id=[])", 8, "use filter"),
        ("missing(pth)", 1, "did you mean path?"),
        ('knn(target=path, text="x", limit=3)', 1, "no vectors"),
        ("knn(target=embeddings_v1, vector=[1], limit=3)", 1, "2 dimensions, this vector 1"),
    ],
)
def test_with_a_schema_names_and_types_are_pointed_at_too(text, column, problem):
    """Unknown fields, wrong types, wrong dimensions."""
    first = said(text, SCHEMA).split("\n")[0]
    assert first.startswith(f"line 1, column {column}: "), first
    assert problem in first


def test_of_a_long_line_the_part_around_the_place_is_shown():
    """A vector has thousands of numbers."""
    text = f"filter(a=[{'1, ' * 5_000}?])"
    first, excerpt, caret = said(text).split("\n")
    assert first.startswith("line 1, column 15011: ")
    assert len(excerpt) < 140
    assert excerpt[caret.index("^")] == "?"


@pytest.mark.parametrize(
    "text", ["(" * 10_000, "not " * 10_000, "filter(a=" + "[" * 10_000, "all and " * 5_000 + "all"]
)
def test_what_is_nested_without_end_is_refused(text):
    """Neither a crash nor a long wait."""
    assert "line 1, column " in said(text)


@given(st.text(max_size=60))
@example("filter(a=\ud800)")
@example('match("\\ud800")')
def test_any_text_is_a_query_or_a_query_error(text):
    """Nothing else is raised."""
    try:
        parse(text)
    except QueryError as error:
        assert str(error).startswith("line ")


WORDS = ["all", "and", "or", "not", "limit", "(", ")", "filter", "knn", "match", "a", "=", "[", "]", "{", "}", ",", ":",
         "1", "-2.5", '"x"', "true", "target", "text", "@2026-01-01T00:00:00Z", "exists", "prefix"]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
def test_any_words_are_a_query_or_a_query_error(text):
    """What is read can be written and read again."""
    try:
        query = parse(text, SCHEMA)
    except QueryError as error:
        assert str(error).startswith("line ")
    else:
        assert parse(str(query)) == query
