"""What each part of a query gives, on every store: the tables of docs/why/query-language.md and what lies between."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from samples import SMALL, check, document, filled, lettered, near, scores

from callsite.errors import QueryError
from callsite.query import Query

KIND_B = Query.filter(kind="b")
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (near(2), "a1 b1"),
        (KIND_B & near(2), "b1 b2"),
        (near(2) & KIND_B, "b1 b2"),
        (KIND_B | near(2), "a1 b1 b2"),
        (KIND_B & (Query.filter(n=2) | near(1)), "b1 b2"),
        (near(3) & near(3, target="w"), "a2"),
        (KIND_B & ~Query.filter(n=1) & near(1), "b2"),
        (KIND_B & (Query.filter(n=[1, 2]) & near(1)), "b1"),
        (KIND_B & (near(1) | (Query.filter(n=2) & near(1))), "b1 b2"),
        (Query.filter(n=1) & (KIND_B | near(1)), "a1 b1"),
        (near(3) & near(3, target="w") & Query.filter(n=[1, 2]), "b1 a2"),
        (KIND_B & near(10_000), "b1 b2"),
        (near(2).limit(1), "a1"),
        (KIND_B & near(2).limit(1), "b1"),
        (KIND_B & Query.all().limit(1), "b1"),
        (KIND_B.limit(1), "b1"),
        ((KIND_B & near(2)).limit(1), "b1"),
        ((KIND_B | near(1)).limit(2), "a1 b1"),
        (near(2) | near(2, target="w"), "a1 a3 b1 b2"),
        (Query.filter(kind="none") & near(2), ""),
        (Query.or_() | near(1), "a1"),
        (near(1) & Query.all(), "a1"),
        (Query.filter(kind=[]) | near(1), "a1"),
        (Query.filter(kind=[]) & near(1), ""),
    ],
    ids=str,
)
def test_knn_and_limit_find_among_what_passes_the_filters_beside_them(store, query, expected):
    """Wherever they stand; an `or` adds, an `and` with another knn narrows neither."""
    check(filled(store, lettered()), query, expected)


VALUES = [
    document("all", kind="x", n=5, flag=True, at=NOON, tags=["p", "q"], numbers=[1, 2], path="src/a.py"),
    document("none"),
    document("zero", kind="", n=0, flag=False, tags=[], numbers=[0], path="src"),
    document("big", n=2**63 - 1, at=NOON + timedelta(milliseconds=1), tags=["q"], path="SRC/b.py"),
    document("small", n=-(2**63), at=datetime(1, 1, 2, tzinfo=UTC), tags=["pq"], path="src/"),
]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query.all(), "all big none small zero"),
        (~Query.all(), ""),
        (Query.filter(kind="x"), "all"),
        (Query.filter(kind=""), "zero"),
        (Query.filter(kind="X"), ""),
        (Query.filter(kind=["x", "", "y"]), "all zero"),
        (Query.filter(kind=[]), ""),
        (~Query.filter(kind=[]), "all big none small zero"),
        (~Query.filter(kind="x"), "big none small zero"),
        (Query.filter(n=0), "zero"),
        (Query.filter(n=[2**63 - 1, -(2**63)]), "big small"),
        (Query.filter(n=2**63 - 2), ""),
        (Query.filter(flag=True), "all"),
        (Query.filter(flag=False), "zero"),
        (Query.filter(flag=[True, False]), "all zero"),
        (Query.filter(at=NOON), "all"),
        (Query.filter(at=NOON.astimezone(timezone(timedelta(hours=9)))), "all"),
        (Query.filter(at=NOON + timedelta(microseconds=999)), "all"),
        (Query.filter(at=[NOON + timedelta(milliseconds=1), datetime(1, 1, 2, tzinfo=UTC)]), "big small"),
        (Query.filter(tags="q"), "all big"),
        (Query.filter(tags=["p", "pq"]), "all small"),
        (Query.filter(numbers=2), "all"),
        (Query.filter(numbers=[0, 2]), "all zero"),
        (Query.filter(id="all"), "all"),
        (Query.filter(id=["zero", "none", "other"]), "none zero"),
        (Query.filter(project_id=1), "all big none small zero"),
        (Query.filter(project_id=2), ""),
        (Query.filter(kind="x", n=5, tags="p"), "all"),
        (Query.filter(kind="x", n=6), ""),
        (Query.prefix(path="src/"), "all small"),
        (Query.prefix(path="src"), "all small zero"),
        (Query.prefix(path=""), "all big small zero"),
        (Query.prefix(path=["SRC", "src/a"]), "all big"),
        (Query.prefix(path=[]), ""),
        (Query.prefix(tags="p"), "all small"),
        (Query.prefix(id="z"), "zero"),
        (Query.prefix(kind=""), "all zero"),
        (Query.exists("kind"), "all zero"),
        (Query.missing("kind"), "big none small"),
        (Query.exists("tags"), "all big small"),
        (Query.missing("tags"), "none zero"),
        (Query.exists("n"), "all big small zero"),
        (Query.exists("flag"), "all zero"),
        (Query.exists("at"), "all big small"),
        (Query.exists("numbers"), "all zero"),
        (Query.exists("id"), "all big none small zero"),
        (Query.missing("v"), "all big none small zero"),
        (Query.exists("v"), ""),
        (~(Query.filter(kind="x") | Query.filter(n=0)), "big none small"),
        (~(Query.exists("kind") & Query.exists("at")), "big none small zero"),
        (~~Query.filter(kind="x"), "all"),
        (Query.filter(kind="x") | Query.filter(tags="q"), "all big"),
        (Query.filter(kind="x").limit(3) | Query.filter(n=0), "all zero"),
        (Query.all().limit(2), "all big"),
        (Query.exists("at").limit(2) & Query.missing("kind"), "big small"),
    ],
    ids=str,
)
def test_filters_give_the_documents_that_the_table_says(store, query, expected):
    """Each kind of field, with values at its edges and without; by id in the order of code points."""
    check(filled(store, VALUES), query, expected)


def test_fields_that_are_there_can_be_asked_for_by_exists_of_texts_and_vectors(store):
    """A text and a vector can't be compared, but they are there or not."""
    filled(store, [document("a", content="x"), document("b", v=[1, 2]), document("c", content="")])
    check(store, Query.exists("content"), "a c")
    check(store, Query.missing("v"), "a c")


SAID = [
    document("path", path="src/header/other.py", name="first", content="some text of it"),
    document("name", path="src/one.py", name="Parser.parse_header", content="another text there"),
    document("content", path="src/two.py", name="second", content="it is a header, the header of all headers"),
    document("nothing", path="src/three.py", name="third", content="quite different things"),
]


def test_match_finds_terms_in_path_symbols_and_words(store):
    """Split, stemmed and whole; in all lexical fields or in those that are named."""
    filled(store, SAID)
    for query, expected in [
        (Query.match("Headers"), {"path", "name", "content"}),
        (Query.match("header", words=1), {"content"}),
        (Query.match("header", symbols=2), {"name"}),
        (Query.match("header", path=1, words=5), {"path", "content"}),
        (Query.match("parseHeader", symbols=1), {"name"}),
        (Query.match({"=parseheader": 1}), {"name"}),
        (Query.match({"Header": 1}), set()),
        (Query.match("unheard"), set()),
        (Query.match("the"), set()),
        (Query.match("  ?! "), set()),
        (~Query.match("header"), {"nothing"}),
        (~Query.match("the"), {"path", "name", "content", "nothing"}),
        (Query.match("header") & Query.filter(name="second"), {"content"}),
        (Query.match("header") & ~Query.match("parse"), {"path", "content"}),
        (Query.match("different") | Query.match("parse"), {"name", "nothing"}),
    ]:
        found = set(scores(store, query))
        assert found == expected, query


def test_a_match_ranks_by_what_its_terms_are_worth(store):
    """Weights of fields and terms take effect; the path counts most unless it is said otherwise."""
    filled(store, SAID)
    check(store, Query.match("header", path=3, words=1e-6), "path content")
    check(store, Query.match("header", path=1e-6, words=3), "content path")
    check(store, Query.match({"differ": 5.0, "anoth": 1e-3}), "nothing name")
    check(store, Query.match({"differ": 1e-3, "anoth": 5.0}), "name nothing")
    check(store, Query.match("header", path=3, words=1e-6).limit(1), "path")


def test_weights_multiply_what_a_term_is_worth(store):
    """Twice the weight of each term, or of each field, is twice the score."""
    filled(store, SAID)
    once = scores(store, Query.match({"header": 1.0}, path=1, words=1))
    for query in (Query.match({"header": 2.0}, path=1, words=1), Query.match({"header": 1.0}, path=2, words=2)):
        twice = scores(store, query)
        assert {id: (pytest.approx(2 * score, rel=1e-4),) for id, (score,) in once.items()} == twice


def test_each_leg_tells_its_raw_score_where_it_contributed(store):
    """From left to right; None where it did not, and legs in a `not` are none."""
    filled(store, [document("a", content="header text", v=[1, 0]), document("b", content="text", v=[3, 4])])
    found = scores(store, Query.match("header", words=1) | near(5))
    assert found["a"] == (pytest.approx(found["a"][0]), pytest.approx(1.0, abs=1e-6))
    assert found["a"][0] > 0
    assert found["b"] == (None, pytest.approx(0.6, abs=1e-6))
    assert scores(store, ~Query.match("header", words=1)) == {"b": ()}
    assert scores(store, Query.all()) == {"a": (), "b": ()}


def test_a_leg_whose_branch_does_not_give_a_document_did_not_contribute_it(store):
    """In an `or`, a document may come by one branch and hold words of another."""
    filled(store, [document("a", kind="x", content="header"), document("b", kind="y", content="header")])
    found = scores(store, (Query.filter(kind="x") & Query.match("header")) | Query.filter(kind="y"))
    assert found["b"] == (None,)
    assert found["a"][0] > 0


def test_a_hybrid_gives_rounds_of_its_legs_then_ids(store):
    """The best of each, then the second of each; what was named is not named again."""
    filled(
        store,
        [
            document("far", content="header header header", v=[0, 1]),
            document("near", content="text alone", v=[1, 0]),
            document("both", content="header and text and more text of some length", v=[1, 0.5]),
            document("a", kind="x"),
            document("b", kind="x"),
        ],
    )
    query = Query.match("header", words=1) | near(2) | Query.filter(kind="x")
    check(store, query, "far near both a b")
    check(store, query.limit(2), "far near")
    check(store, near(2) | Query.match("header", words=1), "near far both")


def test_equal_scores_go_by_id_then_by_routing(store):
    """Also at the cut."""
    vectors = [document(id, v=[2, 1]) for id in ("d", "B", "a", "é", "c", "ab")]
    filled(store, [*vectors, document("c", v=[2, 1]) | {"project_id": -7}])
    check(store, near(10), "B a ab c c d é")
    check(store, near(3), "B a ab")
    found = store.search(SMALL.name, near(10)).candidates
    assert [one.document.key.routing for one in found if one.document.key.id == "c"] == [-7, 1]


def test_documents_of_several_projects_are_found_together(store):
    """The routing value is a field like others."""
    filled(store, [document("a", v=[1, 0]) | {"project_id": n} for n in (3, 1, 2)])
    found = store.search(SMALL.name, Query.filter(project_id=[2, 3]) & near(5)).candidates
    assert [(one.document.key.routing, one.document.fields["project_id"]) for one in found] == [(2, 2), (3, 3)]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (Query.filter(knd="b"), "did you mean kind"),
        (Query.filter(kind=1), "kind"),
        (Query.filter(n="1"), "n holds"),
        (Query.filter(n=True), "n holds"),
        (Query.filter(flag=1), "flag holds"),
        (Query.filter(content="x"), "match"),
        (Query.filter(v=1), "knn"),
        (Query.prefix(n="1"), "no texts"),
        (Query.exists("other"), "no field other"),
        (Query.knn(target="kind", vector=[1], limit=1), "no vectors"),
        (Query.knn(target="v", vector=[1], limit=1), "2 dimensions"),
        (Query.knn(target="other", vector=[1], limit=1), "no field other"),
        (Query.knn(target="v", text="not embedded", limit=1), "embed it first"),
        (Query.match(" ".join(f"word{chr(97 + n % 26)}{n}" for n in range(1_200))), "1,000"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_query_that_does_not_fit_the_collection_is_refused(store, query, said):
    """By search, count and scan alike, with what to do."""
    filled(store, lettered())
    for ask in (store.search, store.count, store.scan):
        with pytest.raises(QueryError) as caught:
            ask(SMALL.name, query)
        assert said in str(caught.value)
