"""S7: requests and statements of recordings are things to be found, each once, with the code behind them."""

from __future__ import annotations

import json

from appmap_samples import DATA, EVERYTHING, WORDS, back, call, parsed, query, sent, served

from callsite.evidence.appmap.entry import entry_of
from callsite.evidence.appmap.items import items_of
from callsite.evidence.appmap.recording import parse_recording, read_recording


def entry(recording):
    return entry_of(recording, words=WORDS)


def test_s7_requests_and_statements_are_items():
    """Located by recording and event, with the functions that handled or issued them."""
    items = items_of([0], [entry(parse_recording(json.dumps(EVERYTHING).encode(), name="a.appmap.json"))])
    assert [(item.kind, item.title, item.event) for item in items] == [
        ("server", "POST /login/{realm} (401)", 1),
        ("client", "GET api.example.org/keys/{id} (503)", 5),
        ("query", "SELECT * FROM users WHERE name = ? AND age IN (?)", 3),
    ]
    assert {item.file for item in items} == {"a.appmap.json"}
    assert [[function.name for function in item.functions] for item in items] == [
        ["Session.login", "auth.compare"],
        ["Session.login"],
        ["Session.login"],
    ]


def test_s7_a_statement_is_found_by_what_it_was_issued_for():
    """`which SQL runs when a user logs in`: the route and the function stand in its text."""
    (*_, statement) = items_of([0], [entry(parse_recording(json.dumps(EVERYTHING).encode(), name="a"))])
    assert set(WORDS.terms("sql query login session users")) <= set(WORDS.terms(statement.text))


def test_s7_items_of_several_recordings_are_one():
    """With all of them, and the first as its place."""
    one = parsed(call(1, "A.first", "a.py", 1), query(2, "select 1"), back(3, 2), back(4, 1))
    other = parsed(call(1, "A.other", "a.py", 9), query(2, "select 22"), back(3, 2), back(4, 1))
    (item,) = items_of([0, 1], [entry(one), entry(other)])
    assert (item.title, item.n_times, item.positions, item.event) == ("select ?", 2, (0, 1), 2)
    assert [function.name for function in item.functions] == ["A.first", "A.other"]


def test_s7_the_code_behind_a_statement_goes_up_the_stack():
    """The function that issued it comes first, then its callers."""
    recording = parsed(
        call(1, "A.view", line=1), call(2, "A.model", line=2), query(3, "select 1"), back(4, 3), back(5, 2), back(6, 1)
    )
    (item,) = items_of([0], [entry(recording)])
    assert [function.name for function in item.functions] == ["A.model", "A.view"]


def test_s7_what_no_recorded_function_issued_is_an_item_too():
    """Its code is not known."""
    recording = parsed(served(1, "GET", "/a"), sent(2, "GET", "http://h/b"), back(3, 2), back(4, 1))
    assert [(item.title, item.functions) for item in items_of([0], [entry(recording)])] == [
        ("GET /a", ()),
        ("GET h/b", ()),
    ]


def test_s7_recorded_services_give_items():
    """Of Python with SQLAlchemy and of Node with SQLite."""
    names = ("node_request_get_items_404", "shop_request_post_items", "shop_test_fails_http_sql_exception")
    entries = [entry(read_recording(DATA / f"{name}.appmap.json")) for name in names]
    items = items_of(range(3), entries)
    titles = [item.title for item in items]
    assert "GET /items/{id} (404)" in titles
    assert "INSERT INTO item (name) VALUES (?)" in titles
    assert [item.positions for item in items if item.title.startswith("SELECT item.id")] == [(1, 2)]
