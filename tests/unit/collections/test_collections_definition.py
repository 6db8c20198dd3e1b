"""A definition of a collection is checked when it is made, and comes back from JSON as it was."""

from __future__ import annotations

import json

import pytest

from callsite.collections import Collection, chunks
from callsite.collections.definition import change_problem
from callsite.errors import CollectionError
from callsite.types import CHUNK_TYPES, Chunk
from callsite.values import replace

CHUNKS = chunks(dims=256)


def make(**changes):
    given = {"name": "small", "routing": "n", "fields": {"n": "integer", "t": "text"}, **changes}
    return Collection.of(given.pop("name"), **given)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "Small"}, "no name of a collection"),
        ({"name": "a; DROP TABLE b"}, "no name of a collection"),
        ({"name": ""}, "no name of a collection"),
        ({"name": None}, "no name of a collection"),
        ({"name": "x" * 64}, "at most 63"),
        ({"fields": {"n": "float"}}, "no kind"),
        ({"fields": {"n": "integer", "id": "keyword"}}, "id is a part"),
        ({"fields": {"n": "integer", "v": "vector(0)"}}, "vector"),
        ({"routing": "other"}, "no field"),
        ({"routing": "id"}, "no field"),
        ({"routing": "t"}, "not integer or keyword"),
        ({"lexical": {"words": "other"}}, "no field"),
        ({"lexical": {"words": "n"}}, "not keyword or text"),
        ({"lexical": {"title": "t"}}, "no lexical field"),
        ({"version": 0}, "version"),
        ({"version": True}, "version"),
    ],
    ids=str,
)
def test_a_definition_that_cannot_be_meant_is_refused(changes, said):
    """With the collection and what is wrong."""
    with pytest.raises(CollectionError) as caught:
        make(**changes)
    assert said in str(caught.value)
    assert "collection" in str(caught.value)


def test_a_definition_survives_json():
    """So a store can keep it beside the data."""
    for collection in (CHUNKS, make(), CHUNKS.changed(add={"archived": "boolean"}, metadata={"searched": "v2"})):
        assert Collection.from_json(json.loads(json.dumps(collection.to_json()))) == collection


@pytest.mark.parametrize(
    "kept", [{}, {"name": "x"}, {"name": "x", "other": 1}, {"name": "x", "routing": "n", "fields": 5}]
)
def test_what_is_no_definition_is_refused(kept):
    """Instead of failing later."""
    with pytest.raises(CollectionError):
        Collection.from_json(kept)


def test_a_change_is_the_next_version():
    """Fields and metadata are added; what was there stays."""
    wider = CHUNKS.changed(add={"archived": "boolean"})
    assert (wider.version, wider.routing, wider.lexical) == (2, "project_id", CHUNKS.lexical)
    assert [field.name for field in wider.vector_fields()] == ["embeddings_v1"]
    assert wider.schema.kinds() == CHUNKS.schema.kinds() | {"archived": "boolean"}
    assert change_problem(CHUNKS, wider) == ""
    assert "can't become nothing" in change_problem(wider, replace(CHUNKS, version=3))
    assert "version 2" in change_problem(wider, wider)
    assert "routing" in change_problem(CHUNKS, replace(wider, lexical=()))


def test_a_chunk_has_a_field_for_what_is_kept_of_it():
    """The fields of the design, named as in `Chunk` where they are the same."""
    kinds = CHUNKS.schema.kinds()
    assert set(kinds) - {"project_id", "overlay", "content", "embeddings_v1"} <= set(Chunk.__slots__)
    assert kinds["embeddings_v1"] == "vector(256)"
    assert "function" in CHUNK_TYPES
