"""Whatever is given as a document, a change or a key: it can be kept, or it is told why not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite.collections import Collection
from callsite.query.fields import KINDS
from callsite.stores import Change, Key, Outcome
from callsite.stores.rows import Row, change_of, key_problem, row_of

OF_ALL_KINDS = Collection.of(
    "all",
    routing="keyword_",
    fields={f"{kind}_": "vector(2)" if kind == "vector" else kind for kind in KINDS},
)
FOREIGN = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(st.characters()),
        st.binary(max_size=4),
        st.datetimes(),
        st.datetimes(timezones=st.just(UTC)),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=2)),
    max_leaves=4,
)
NAMES = st.one_of(st.sampled_from(["id", *(f"{kind}_" for kind in KINDS)]), st.text(max_size=5), st.integers())
ROWS = st.dictionaries(NAMES, FOREIGN, max_size=6)


@given(ROWS, st.booleans())
def test_any_document_is_kept_or_refused_with_its_reason(row, has_key):
    """Nothing is raised; what is kept has values of the field's kind."""
    found = row_of(OF_ALL_KINDS, {**row, **({"id": "x", "keyword_": "r"} if has_key else {})})
    assert isinstance(found, Row) or (found.state == "refused" and found.problem)
    if isinstance(found, Row):
        assert all(value is None or type(value) in (int, str, bool, datetime, tuple) for value in found.fields.values())
        assert {name for name, value in found.fields.items() if value == ()} == set()


@given(
    st.one_of(FOREIGN, st.builds(lambda *given: Change(key=Key(*given[:2]), fields=given[2]), FOREIGN, FOREIGN, ROWS))
)
def test_any_change_is_made_or_refused_with_its_reason(change):
    """Nothing is raised."""
    found = change_of(OF_ALL_KINDS, change)
    assert isinstance(found, Row) or (found.state == "refused" and found.problem)


@given(FOREIGN, FOREIGN)
def test_any_key_has_a_problem_or_none(routing, id):
    """Those without are texts of bounded length."""
    if not key_problem(OF_ALL_KINDS, Key(routing, id)):
        assert 1 <= len(routing.encode()) <= 200
        assert 1 <= len(id.encode()) <= 256


def test_a_vector_may_be_anything_that_gives_numbers_once():
    """It is gone through once; an endless one is refused for its length."""

    def numbers():
        while True:
            yield 1.0

    base = {"id": "x", "keyword_": "r"}
    assert row_of(OF_ALL_KINDS, base | {"vector_": iter([1, 2])}).fields["vector_"] == (1.0, 2.0)
    assert "2 dimensions" in row_of(OF_ALL_KINDS, base | {"vector_": numbers()}).problem


def test_values_are_kept_plain():
    """Subclasses are taken for what they stand for, empty lists for no value."""

    class Name(str):
        pass

    row = row_of(OF_ALL_KINDS, {"id": Name("x"), "keyword_": Name("r"), "keywords_": []})
    assert type(row.key.id) is type(row.key.routing) is type(row.fields["keyword_"]) is str
    assert row.fields["keywords_"] is None


@pytest.mark.parametrize("field", ["id", "keyword_"])
def test_the_parts_of_a_key_do_not_change(field):
    """An update that names them is refused, an expectation may name the routing."""
    key = Key("r", "x")
    assert isinstance(change_of(OF_ALL_KINDS, Change(key=key, fields={field: "r"})), Outcome)
    assert isinstance(change_of(OF_ALL_KINDS, Change(key=key, fields={}, expected={"keyword_": "r"})), Row)
