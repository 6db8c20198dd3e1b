"""What PostgreSQL is told, without a server: conditions, entries, rows for COPY, the meaning of errors."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from struct import pack

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite.collections import Collection
from callsite.errors import CollectionError, SettingsError, StoreError, StoreRefused, StoreUnreachable
from callsite.query import Query
from callsite.query.fields import single_precision
from callsite.stores.postgres import PostgresStore
from callsite.stores.postgres.failing import is_lost, is_of_a_row, is_to_repeat, mapped
from callsite.stores.postgres.filters import Filters
from callsite.stores.postgres.layout import Column, Layout, column_of, entries_of, entry_of
from callsite.stores.postgres.packing import HEADER, TRAILER, blocks, vector_of
from callsite.stores.postgres.writing import MOST_ROWS, batches
from callsite.stores.rows import refused, row_of

FIELDS = {"project_id": "integer", "kind": "keyword", "n": "integer", "tags": "keywords", "content": "text"}
SMALL = Collection.of("small", routing="project_id", fields=FIELDS, lexical={"words": "content", "path": "kind"})
LAYOUT = Layout(schema="callsite", number=7, collection=SMALL)


def compiled(query):
    condition = Filters(LAYOUT, lambda match: dict(match.weights)).condition(query.node)
    return condition.text.as_string(None).replace('"t".', "").replace('"', ""), list(condition.values)


@pytest.mark.parametrize(
    ("query", "text", "values"),
    [
        (Query.all(), "TRUE", []),
        (Query.filter(n=[1, 2]), "n = ANY(%s::bigint[])", [[1, 2]]),
        (Query.filter(n=[]), "FALSE", []),
        (Query.or_(), "(TRUE) IS NOT TRUE", []),
        (~Query.filter(n=1), "(n = ANY(%s::bigint[])) IS NOT TRUE", [[1]]),
        (Query.filter(id="a"), "id = ANY(%s::text[])", [["a"]]),
        (
            Query.filter(kind="a'b"),
            "(kind = ANY(%s::text[])) AND (left(kind, 200) = ANY(%s::text[]))",
            [["a'b"], ["a'b"]],
        ),
        (Query.filter(tags="x"), "(tags && %s::text[]) AND (TAGS && %s::text[])", [["x"], ["x"]]),
        (Query.prefix(kind="a%"), "(kind ^@ %s::text) AND (left(kind, 200) ^@ %s::text)", ["a%", "a%"]),
        (Query.prefix(kind=["a", "b"]), "kind ^@ ANY(%s::text[])", [["a", "b"]]),
        (Query.missing("tags") | Query.exists("n"), "(tags IS NULL) OR (n IS NOT NULL)", []),
        (
            Query.match({"pars": 2.0}),
            "(_path_entries && %s::text[]) OR (_words_entries && %s::text[])",
            [["pars"], ["pars"]],
        ),
        (Query.match({"pars": 2.0}, symbols=1), "FALSE", []),
    ],
    ids=str,
)
def test_a_filter_becomes_a_condition_with_bound_values(query, text, values):
    """No value is ever a part of the text."""
    assert compiled(query) == (text, values)


@given(st.lists(st.sampled_from(["pars", "header", "=parseheader"])))
def test_entries_say_each_term_once_and_how_often_beside_it(said):
    """So terms and their numbers can be read out again."""
    entries = entries_of(Counter(said))
    assert len(set(entries)) == len(entries)
    read = {entry: 1 for entry in entries if " " not in entry}
    read |= {term: int(times) for term, _, times in (one.partition(" ") for one in entries if " " in one)}
    assert read == Counter(said)


def test_a_very_long_term_is_told_by_its_digest():
    """No index takes it whole; others stay apart from it."""
    one, other = entry_of("x" * 1_000_000), entry_of("x" * 999_999)
    assert one != other
    assert max(len(one), len(other)) < 50
    assert entry_of("x" * 1_000_000, 3) == f"{one} 3"


def test_columns_of_the_system_are_not_taken():
    """A field may have a name that every table of PostgreSQL uses already."""
    schema = Collection.of("c", routing="xmin", fields={"xmin": "integer", "n": "integer"}).schema
    assert [column_of(field).name for field in schema.fields] == ["n", "_xmin"]


def test_rows_for_copy_have_sizes_and_values_in_the_servers_order():
    """As its documentation describes the binary format."""
    columns = [Column(name="a", kind=kind) for kind in ("integer", "small", "boolean", "timestamp", "keyword")]
    at = datetime(2000, 1, 1, 0, 0, 1, 5_000, tzinfo=UTC)
    packed = b"".join(blocks(columns, [[-1, 2, True, at, "é"], [None] * 5]))
    fields = pack(">iq", 8, -1) + pack(">ii", 4, 2) + pack(">i?", 1, True) + pack(">iq", 8, 1_005_000)
    fields += pack(">i", 2) + "é".encode()
    assert packed == HEADER + pack(">h", 5) + fields + pack(">h", 5) + pack(">i", -1) * 5 + TRAILER


def test_lists_and_vectors_for_copy():
    """Lists with the type of their elements, vectors with their dimensions."""
    columns = [Column(name="a", kind=kind) for kind in ("integers", "keywords", "vector")]
    packed = b"".join(blocks(columns, [[(1, 2), ("x",), (1.0, -2.0)]]))
    numbers = pack(">iiiIii", 44, 1, 0, 20, 2, 1) + pack(">iq", 8, 1) + pack(">iq", 8, 2)
    texts = pack(">iiiIii", 25, 1, 0, 25, 1, 1) + pack(">i", 1) + b"x"
    vector = pack(">iHHff", 12, 2, 0, 1.0, -2.0)
    assert packed == HEADER + pack(">h", 3) + numbers + texts + vector + TRAILER


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_a_vector_is_read_as_it_was_packed(numbers):
    """In single precision, bit for bit."""
    columns = [Column(name="v", kind="vector", dims=len(numbers))]
    packed = b"".join(blocks(columns, [[tuple(numbers)]]))
    assert vector_of(packed[len(HEADER) + 6 : -2]) == single_precision(numbers)


def test_a_batch_has_no_key_twice_and_bounds_of_number_and_size():
    """In order; outcomes that are known already travel with it."""
    rows = [row_of(SMALL, {"id": id, "project_id": 1}) for id in "abacb"]
    bad = refused(None, "bad")
    assert [len(batch) for batch in batches([rows[0], bad, *rows[1:]])] == [3, 3]
    many = (row_of(SMALL, {"id": str(n), "project_id": 1}) for n in range(MOST_ROWS + 1))
    assert [len(batch) for batch in batches(many)] == [MOST_ROWS, 1]
    heavy = [row_of(SMALL, {"id": str(n), "project_id": 1, "content": "x" * 1_000_000}) for n in range(20)]
    assert [len(batch) for batch in batches(heavy)] == [17, 3]
    assert list(batches([])) == []


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ("57014", StoreUnreachable),
        ("40P01", StoreUnreachable),
        ("53300", StoreUnreachable),
        ("57P01", StoreUnreachable),
        ("08006", StoreUnreachable),
        ("42501", StoreRefused),
        ("25006", StoreRefused),
        ("28P01", StoreRefused),
        ("3D000", StoreRefused),
        ("42P01", CollectionError),
        ("XX000", StoreError),
    ],
)
def test_each_state_of_the_server_is_an_error_of_ours(state, kind):
    """With what was being done and what can be done."""
    error = psycopg.errors.lookup(state)("host=secret")
    found = mapped(error, "search")
    assert type(found) is kind
    assert "search" in str(found)
    assert "secret" not in str(found)


def test_what_is_tried_again_and_what_is_halved():
    """A lost connection and a deadlock are; a value that does not fit is not, its batch is halved."""
    lookup = psycopg.errors.lookup
    assert is_lost(psycopg.OperationalError("server closed the connection unexpectedly"))
    repeated = ("57P01", "40P01", "40001", "42P01")
    of_a_row = ("22003", "23514", "54000")
    states = (*repeated, *of_a_row, "42501", "53100")
    assert tuple(state for state in states if is_to_repeat(lookup(state)())) == repeated
    assert tuple(state for state in states if is_of_a_row(lookup(state)())) == of_a_row


@pytest.mark.parametrize(
    "settings",
    [{"schema": "a; DROP"}, {"partitions": 0}, {"timeout": -1}, {"connections": True}, {"exact_up_to": "x"}],
    ids=str,
)
def test_settings_that_cannot_be_meant_are_refused(settings):
    """Before anything is connected."""
    with pytest.raises(SettingsError):
        PostgresStore("", **settings)
