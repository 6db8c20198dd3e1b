"""All stores hold the same terms, because they are made in one place."""

from __future__ import annotations

import pytest

from callsite.collections import Collection, chunks
from callsite.errors import QueryError
from callsite.query import Query
from callsite.stores.terms import lexical_terms, match_terms
from callsite.text.words import Words

CHUNKS = chunks(dims=2)
WORDS = Words()


def check(fields, expected):
    assert lexical_terms(CHUNKS, fields, WORDS) == expected


def test_each_lexical_field_comes_from_one_field():
    """The file's name twice, the last part of a qualified name, all words of the content."""
    check(
        {"path": "src/http/parse_header.py", "name": "Parser.nextToken", "content": "def parse(x):\n  return 1"},
        {
            "path": "pars header =parseheader pars header =parseheader src http",
            "symbols": "next token =nexttoken",
            "words": "def pars return",
        },
    )


def test_of_a_part_of_a_document_only_its_terms_are_made():
    """A store that writes one field leaves the terms of the others alone; None leaves none."""
    check({"name": "close"}, {"symbols": "close"})
    check({"content": None, "kind": "x"}, {"words": ""})
    check({"language": "python"}, {})


def test_a_collection_without_lexical_fields_has_no_terms():
    """Nothing is guessed."""
    plain = Collection.of("plain", routing="path", fields={"path": "keyword"})
    assert lexical_terms(plain, {"path": "a/b.py"}, WORDS) == {}


def test_a_text_asks_for_each_of_its_terms_once():
    """Ready terms keep their weights; a text of stop words asks for nothing."""
    assert match_terms(Query.match("parse the parsed header").node, WORDS) == {"pars": 1.0, "header": 1.0}
    assert match_terms(Query.match({"Any=Thing": 2}).node, WORDS) == {"Any=Thing": 2.0}
    assert match_terms(Query.match("the of it").node, WORDS) == {}
    letters = "bcdfghjklm"
    many = " ".join(
        one + two + three + four for one in letters for two in letters for three in letters for four in "xz"
    )
    with pytest.raises(QueryError, match="1,000"):
        match_terms(Query.match(many).node, WORDS)
