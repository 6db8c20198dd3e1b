"""A reference becomes a text and comes back as it was; no other text is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite.errors import QueryError
from callsite.queue import Reference, parsed, text_of
from callsite.queue.reference import MOST_CHARACTERS, routing_text

texts = st.text(st.characters(), max_size=30)
references = st.builds(
    Reference,
    kind=texts.filter(bool),
    collection=texts,
    routing=st.integers(-(2**63) + 1, 2**63 - 1) | texts,
    id=texts,
    arguments=st.lists(texts, max_size=3).map(tuple),
)


@given(references)
def test_a_reference_survives_its_text(one):
    """All characters, also those that no UTF-8 has; 1 and "1" stay two."""
    text = text_of(one)
    found = parsed(text)
    assert found == one
    assert type(found.routing) is type(one.routing)
    assert text.isascii() and text.isprintable()


@given(references, references)
def test_two_references_have_two_texts(one, other):
    """The text decides who is the same; a routing's text too."""
    assert (text_of(one) == text_of(other)) == (one == other)
    assert (routing_text(one.routing) == routing_text(other.routing)) == (one.routing == other.routing)


def test_the_text_is_short():
    """JSON without spaces: to be read by people who look into the table."""
    one = Reference(kind="chunk", collection="code_chunks", routing=7, id="ab", arguments=("embeddings_v1",))
    assert text_of(one) == '["chunk","code_chunks",7,"ab","embeddings_v1"]'


@given(references, st.data())
def test_a_damaged_text_is_no_reference_or_another_one(one, data):
    """With a character taken out or put in, it is not read as what it was."""
    text = text_of(one)
    place = data.draw(st.integers(0, len(text) - 1))
    damaged = text[:place] + data.draw(st.sampled_from(["", " ", '"', "9", "]", "\0", "é"])) + text[place + 1 :]
    found = parsed(damaged)
    assert damaged == text or found != one
    assert found is None or text_of(found) == damaged


@given(st.text() | st.recursive(st.none() | st.booleans() | st.integers(), st.lists).map(repr))
def test_any_text_is_read_without_an_error(text):
    """What is no reference is None."""
    found = parsed(text)
    assert found is None or text_of(found) == text


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "null", '["a","b",1]', '["a","b",true,"c"]', '["a","b",1.0,"c"]', '["a","b",01,"c"]',
        '["","b",1,"c"]', '["a", "b", 1, "c"]', '["a","b",1,"c",2]', '["a","b",1,"\\u0041"]',
        '{"a":1,"b":2,"c":3,"d":4}', "[" * 100_000,
        '["a","b",-0,"c"]', f'["a","b",{"9" * 5_000},"c"]', "5", '"abcd"', '["a","b",NaN,"c"]', '["a",["b"],1,"c"]',
    ],
)  # fmt: skip
def test_no_reference(text):
    """Not enough parts, wrong types, or not as it is written here."""
    assert parsed(text) is None


@pytest.mark.parametrize(
    "change", [{"kind": ""}, {"routing": True}, {"routing": None}, {"id": 3}, {"arguments": (1,)}, {"routing": 2**63}]
)
def test_what_is_no_reference_has_no_text(change):
    """It is told when it is tracked, not when it is processed."""
    parts = {"kind": "chunk", "collection": "c", "routing": 1, "id": "a"} | change
    with pytest.raises(QueryError):
        text_of(Reference(**parts))


def test_a_text_has_a_bound():
    """Tables keep an index of texts."""
    Reference(kind="chunk", collection="c", routing=1, id="a" * 1_900)
    with pytest.raises(QueryError):
        text_of(Reference(kind="chunk", collection="c", routing=1, id="a" * MOST_CHARACTERS))
