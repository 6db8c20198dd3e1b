"""What Elasticsearch and OpenSearch are told, without a server: filters, documents, mappings, the meaning of errors."""

from __future__ import annotations

import json
from array import array
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite.collections import Collection
from callsite.errors import CollectionError, SettingsError, StoreError, StoreRefused, StoreUnreachable
from callsite.query import Query
from callsite.query.fields import single_precision
from callsite.stores import Key
from callsite.stores.batching import filled
from callsite.stores.elasticsearch import ElasticsearchStore
from callsite.stores.elasticsearch.words import ElasticsearchWords
from callsite.stores.lucene import Options
from callsite.stores.lucene.batching import MOST_ROWS, batches
from callsite.stores.lucene.documents import document_of, key_of, name_of, source_of
from callsite.stores.lucene.failing import kinds_in, mapped, reason_in
from callsite.stores.lucene.filters import EVERY, NONE, Filters
from callsite.stores.lucene.mapping import Place, index_body, place_in
from callsite.stores.opensearch import OpenSearchStore
from callsite.stores.opensearch.words import OpenSearchWords
from callsite.stores.rows import refused, row_of
from callsite.stores.terms import Terms

FIELDS = {
    "project_id": "integer",
    "kind": "keyword",
    "n": "integer",
    "at": "timestamp",
    "tags": "keywords",
    "content": "text",
    "v": "vector(2)",
}
SMALL = Collection.of("small", routing="project_id", fields=FIELDS, lexical={"words": "content", "path": "kind"})
NAMED = Collection.of("named", routing="tenant", fields={"tenant": "keyword"})
FILTERS = Filters(SMALL, lambda match: dict(match.weights))


def any_of(*parts):
    return {"bool": {"should": list(parts), "minimum_should_match": 1}}


def prefix(value):
    return {"prefix": {"kind": {"value": value}}}


def term(name, value):
    return {"term": {name: {"value": value}}}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query.all(), EVERY),
        (Query.filter(n=1), term("n", 1)),
        (Query.filter(n=[1, 2]), {"terms": {"n": [1, 2]}}),
        (Query.filter(n=[]), NONE),
        (Query.filter(at=datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)), term("at", 1000)),
        (Query.filter(id="a"), term("id", "a")),
        (Query.prefix(kind=["a", "b"]), any_of(prefix("a"), prefix("b"))),
        (Query.prefix(kind=""), {"exists": {"field": "kind"}}),
        (Query.exists("content"), {"exists": {"field": "has-content"}}),
        (Query.missing("v"), {"bool": {"must_not": [{"exists": {"field": "v"}}]}}),
        (Query.exists("id"), EVERY),
        (Query.match({"x": 2.0}), any_of({"terms": {"terms-path": ["x"]}}, {"terms": {"terms-words": ["x"]}})),
        (Query.filter(n=1) & ~Query.filter(n=2), {"bool": {"filter": [term("n", 1)], "must_not": [term("n", 2)]}}),
        (
            Query.filter(n=1) & (Query.filter(n=2) | Query.filter(n=3)),
            {"bool": {"filter": [term("n", 1)], "should": [term("n", 2), term("n", 3)], "minimum_should_match": 1}},
        ),
        (~(Query.filter(n=2) | Query.filter(n=3)), {"bool": {"must_not": [term("n", 2), term("n", 3)]}}),
    ],
    ids=str,
)  # fmt: skip
def test_a_filter_becomes_a_query_without_scores(query, expected):
    """Values stand in places for values; what can share a level does."""
    assert FILTERS.condition(query.node) == expected


def test_levels_of_and_and_or_share_one_of_the_servers():
    """A server takes some twenty, and a query has as many."""
    node = Query.filter(n=0)
    for level in range(18):
        node = [Query.or_, Query.and_][level % 2](node, Query.filter(n=level + 1))
    assert json.dumps(FILTERS.condition(node.node)).count('"bool"') == 9


def test_a_long_prefix_is_looked_for_by_its_beginning():
    """No letter is cut through."""
    first, rest = FILTERS.condition(Query.prefix(kind="ü" * 600).node)["bool"]["filter"]
    assert first == {"prefix": {"kind": {"value": "ü" * 450}}}
    assert rest["script"]["script"]["params"] == {"field": "kind", "start": "ü" * 600}


def test_a_match_is_scored_term_by_term():
    """Weights of fields and terms multiply; lexical fields that the collection lacks are left out."""
    query = FILTERS.matching(Query.match({"x": 2.0}, symbols=5, words=3).node, term("n", 1))
    assert query["bool"]["should"] == [{"term": {"terms-words": {"value": "x", "boost": 6.0}}}]
    assert query["bool"]["filter"] == [term("n", 1)]


@given(st.text(min_size=1, max_size=20), st.integers(-(2**63), 2**63 - 1))
def test_a_name_says_its_key(id, routing):
    """Of numbers."""
    assert key_of(SMALL, name_of(Key(routing, id))) == Key(routing, id)


@given(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8))
def test_a_name_says_its_key_of_texts(id, routing):
    """Whatever they hold, colons too."""
    assert key_of(NAMED, name_of(Key(routing, id))) == Key(routing, id)


def test_no_name_is_longer_than_a_server_takes():
    """Of the longest keys."""
    assert len(name_of(Key("ü" * 100, "i" * 256)).encode()) <= 512
    assert len(name_of(Key(-(2**63), "i" * 256)).encode()) <= 512


@given(st.lists(st.floats(-(2.0**49), 2.0**49, width=32), min_size=2, max_size=2))
def test_a_vector_comes_back_from_its_nine_digits(numbers):
    """In single precision, exactly."""
    source = json.loads(source_of(SMALL, {"v": single_precision(numbers)}, Terms()))
    assert document_of(SMALL, ["v"], Key(1, "a"), source).fields["v"] == single_precision(numbers)


def test_a_document_is_its_fields_their_terms_and_what_texts_are_there():
    """An emptied field empties what follows from it."""
    fields = {"content": "parse Headers", "kind": None, "tags": ("a", "b"), "v": tuple(array("f", [0.5, 1.0]))}
    assert json.loads(source_of(SMALL, fields, Terms())) == {
        "content": "parse Headers",
        "has-content": True,
        "terms-words": "pars header",
        "kind": None,
        "terms-path": None,
        "tags": ["a", "b"],
        "v": [0.5, 1],
    }


@pytest.mark.parametrize("words", [ElasticsearchWords(), OpenSearchWords()], ids=lambda words: words.engine)
def test_an_index_keeps_the_definition_of_its_collection(words):
    """And takes no field that it does not define."""
    place = Place(alias="x-small", collection=SMALL)
    body = index_body(place, words, version="8.19.0", shards=3, replicas=0)
    assert place_in(body) == place
    assert body["mappings"]["dynamic"] == "strict"
    assert body["aliases"] == {"x-small": {}}
    assert body["settings"]["index"]["number_of_shards"] == 3
    assert place_in({"mappings": {}}) is place_in({"mappings": {"_meta": {"callsite": 5}}}) is None


def test_newer_servers_are_told_to_keep_vectors():
    """Older ones refuse to be told."""
    settings = ElasticsearchWords().settings
    assert [bool(settings(version)) for version in ("8.19.13", "9.1.9", "9.2.0", "9.10.1", "10.0.0")] == [
        False, False, True, True, True,
    ]  # fmt: skip


def error(kind, reason="why", **more):
    return {"error": {"type": kind, "reason": reason, **more}}


@pytest.mark.parametrize(
    ("status", "body", "expected", "said"),
    [
        (404, error("index_not_found_exception"), CollectionError, "dropped"),
        (401, error("security_exception", "unable to authenticate user [me]"), StoreRefused, "credentials"),
        (403, error("security_exception", "action is unauthorized for user [me]"), StoreRefused, "no right"),
        (403, error("cluster_block_exception"), StoreRefused, "disk"),
        (429, error("es_rejected_execution_exception"), StoreUnreachable, "busy"),
        (503, "<html>", StoreUnreachable, "not ready"),
        (413, "", StoreRefused, "http.max_content_length"),
        (400, error("parsing_exception", "line\n1"), StoreError, "parsing_exception: line 1"),
        (500, None, StoreError, "without a reason"),
        (400, error("x", failed_shards=[{"reason": {"type": "too_many_clauses"}}]), StoreRefused, "max_clause_count"),
    ],
)  # fmt: skip
def test_a_refusal_is_one_of_our_errors(status, body, expected, said):
    """With what to do, and without names of users."""
    found = mapped("X", "search", status, body)
    assert type(found) is expected
    assert said in str(found)
    assert "me]" not in str(found)
    assert "\n" not in str(found)


def test_a_reason_shows_no_value():
    """Servers quote what they can't read."""
    assert "secret" not in reason_in(error("x", "failed to parse. Preview of field's value: 'secret'"))
    assert kinds_in({"error": "text"}) == kinds_in([]) == kinds_in(None) == ()


@pytest.mark.parametrize("store", [ElasticsearchStore, OpenSearchStore])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"prefix": "A"}, "prefix"),
        ({"prefix": "a*,"}, "prefix"),
        ({"shards": 0}, "shards"),
        ({"replicas": True}, "replicas"),
        ({"exact_up_to": -1}, "exact_up_to"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(store, options, said):
    """Before anything is asked."""
    with pytest.raises(SettingsError, match=said):
        store("http://127.0.0.1:1", options=Options(**options))


@pytest.mark.parametrize("store", [ElasticsearchStore, OpenSearchStore])
def test_what_a_client_does_not_take_is_told_without_being_shown(store):
    """The client's own message may hold a password."""
    with pytest.raises(SettingsError) as caught:
        store("https://127.0.0.1:1", ca_certs="/secret/gone.pem", ssl_assert_fingerprint=5, basic_auth=5, http_auth=5)
    assert "secret" not in str(caught.value)


def test_batches_hold_a_key_once_and_outcomes_keep_their_order():
    """A key that comes again begins another batch; what was refused before stays in its place."""
    made = [row_of(SMALL, {"id": id, "project_id": 1}) for id in "abab"]
    bad = refused(None, "bad")
    found = list(batches([made[0], bad, *made[1:]]))
    assert [len(batch) for batch in found] == [3, 2]
    assert filled(found[0], ["one", "two"]) == ["one", bad, "two"]
    many = (row_of(SMALL, {"id": str(n), "project_id": 1}) for n in range(MOST_ROWS + 1))
    assert [len(batch) for batch in batches(many)] == [MOST_ROWS, 1]
