"""What a query gives and in which order, on every store: what stands in no table of docs/why/query-language.md."""

from __future__ import annotations

import pytest
from samples import SMALL, check, document, filled, lettered, near, scores

from callsite.errors import QueryError
from callsite.query import Query


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
