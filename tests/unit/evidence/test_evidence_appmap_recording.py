"""Recordings of all versions and recorders are understood; what cannot be is named, and nothing raises."""

from __future__ import annotations

import json

import pytest
from appmap_samples import (
    DATA,
    EVERYTHING,
    REAL,
    back,
    call,
    called,
    document,
    function_names,
    parsed,
    query,
    sent,
    served,
    thrown,
)

from callsite.evidence.appmap.recording import parse_recording, read_recording


def of(value):
    return parse_recording(json.dumps(value).encode(), name="folder/some_test.appmap.json")


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_a_real_recording_is_read_without_problems(path):
    """Of Python, of Node, of tests and of requests."""
    recording = read_recording(path)
    assert recording.problems == ()
    assert recording.n_events > 0


@pytest.mark.parametrize("version", ["1.2", "1.2.0", "1.4.1", "1.6", "1.9", "1.12.0", "1.13.1", None, 1.3, 7, {}])
def test_every_version_is_read(version):
    """And files without one."""
    value = {**EVERYTHING, "version": version}
    if version is None:
        del value["version"]
    assert called(of(value))["login"].line == 10
    assert of(value).problems == ()


def test_metadata_become_facts():
    """Everything that tells which run it was; nothing of who ran it where."""
    facts = of(EVERYTHING).facts
    assert (facts.app, facts.language, facts.frameworks) == ("shop", "python", ("flask",))
    assert (facts.recorder, facts.recorder_type) == ("pytest", "tests")
    assert (facts.source_path, facts.source_line) == ("tests/test_auth.py", 5)
    assert (facts.test_status, facts.failed) == ("failed", True)
    assert (facts.failure_path, facts.failure_line) == ("tests/test_auth.py", 9)
    assert facts.failure_message == "WrongPassword: wrong password for joe"
    assert (facts.exception_class, facts.commit, facts.timestamp) == ("WrongPassword", "0" * 40, 1796039479.5)


def test_functions_are_named_as_the_class_map_names_them():
    """Packages with `/`, methods with `#`, static ones with `.`; without a class map by their class."""
    recording = of(EVERYTHING)
    assert called(recording)["login"].fqid == "function:app/auth/Session#login"
    assert called(recording)["compare"].fqid == "function:app/auth.compare"
    labels = [one.labels for one in recording.code_objects if one.fqid.endswith("#login")]
    assert labels == [("security.authentication",)]


def test_classes_inside_classes_are_joined_as_ruby_does():
    """`::` between classes, `/` below packages."""
    inner = {"name": "Inner", "type": "class", "children": [{"name": "m", "type": "function", "location": "a.rb:1"}]}
    outer = {"name": "Outer", "type": "class", "children": [inner]}
    recording = parsed(class_map=[{"name": "app", "type": "package", "children": [outer]}])
    assert [one.fqid for one in recording.code_objects] == [
        "class:app/Outer",
        "class:app/Outer::Inner",
        "function:app/Outer::Inner#m",
    ]


def test_calls_are_counted_with_their_smallest_depth_and_their_neighbours():
    """One value for each function, whatever the number of its calls."""
    recording = parsed(
        call(1, "A.outer", line=1), call(2, "A.inner", line=5), back(3, 2), call(4, "A.inner", line=5), back(5, 4),
        back(6, 1), call(7, "A.inner", line=5), back(8, 7),
    )  # fmt: skip
    outer, inner = called(recording)["outer"], called(recording)["inner"]
    assert (outer.n_calls, outer.depth, inner.n_calls, inner.depth) == (1, 0, 3, 0)
    assert function_names(recording, inner.callers) == ["outer"]
    assert function_names(recording, outer.callees) == ["inner"]


def test_an_exception_keeps_the_stack_that_it_was_raised_on():
    """Innermost first; flying through callers it stays one exception; who ended it is known."""
    error = thrown("app.Broken", "no such thing")
    recording = parsed(
        call(1, "A.a", line=1), call(2, "A.b", line=2), call(3, "A.c", line=3), back(4, 3, **error),
        back(5, 2, **error), back(6, 1),
    )  # fmt: skip
    (raised,) = recording.exceptions
    assert (raised.name, raised.message, raised.n_times) == ("app.Broken", "no such thing", 1)
    assert function_names(recording, raised.stack) == ["c", "b", "a"]
    assert recording.calls[raised.caught_by].name == "a"


def test_an_exception_that_nobody_catches_says_so():
    """It flew out of the lowest call."""
    error = thrown("E")
    recording = parsed(call(1, "A.a"), call(2, "A.b"), back(3, 2, **error), back(4, 1, **error))
    assert [raised.caught_by for raised in recording.exceptions] == [-1]


def test_an_exception_that_is_replaced_is_caught_by_whoever_replaced_it():
    """And the new one begins there."""
    recording = parsed(
        call(1, "A.a", line=1), call(2, "A.b", line=2), back(3, 2, **thrown("Low", "x", 1)),
        back(4, 1, **thrown("High", "y", 2)),
    )  # fmt: skip
    assert [(one.name, function_names(recording, one.stack)) for one in recording.exceptions] == [
        ("Low", ["b", "a"]),
        ("High", ["a"]),
    ]
    assert recording.calls[recording.exceptions[0].caught_by].name == "a"


def test_causes_are_exceptions_too():
    """They follow in the list of the return."""
    causes = {"exceptions": [{"class": "High", "message": "h"}, {"class": "Low", "message": "l"}]}
    recording = parsed(call(1, "A.a"), back(2, 1, **causes))
    assert [one.name for one in recording.exceptions] == ["High", "Low"]


def test_the_exception_that_ended_the_test_is_told_from_the_others():
    """It comes first, and distances to the failure count from it."""
    metadata = {"test_status": "failed", "exception": {"class": "Fatal", "message": "stop"}}
    recording = parsed(
        call(1, "A.tried", line=1), back(2, 1, **thrown("Harmless", "x", 1)), call(3, "A.root", line=3),
        call(4, "A.deep", line=4), call(5, "A.aside", line=5), back(6, 5), back(7, 4, **thrown("Fatal", "stop", 2)),
        back(8, 3, **thrown("Fatal", "stop", 2)), metadata=metadata,
    )  # fmt: skip
    assert [(one.name, one.ended_test) for one in recording.exceptions] == [("Fatal", True), ("Harmless", False)]
    distances = {name: one.failure_distance for name, one in called(recording).items() if name != "tried"}
    assert distances == {"deep": 0, "root": 1, "aside": 1}
    assert called(recording)["tried"].exception_distance == 0


def test_a_failed_assertion_counts_distances_from_the_end():
    """The last call of the test is nearest."""
    recording = parsed(
        call(1, "A.first", line=1), back(2, 1), call(3, "A.last", line=2), call(4, "A.beneath", line=3), back(5, 4),
        back(6, 3), metadata={"test_status": "failed"},
    )  # fmt: skip
    assert {name: one.failure_distance for name, one in called(recording).items()} == {
        "first": 2,
        "last": 1,
        "beneath": 2,
    }


def test_a_test_that_passed_has_no_distance_to_a_failure():
    """-1, everywhere."""
    recording = parsed(call(1, "A.a"), back(2, 1), metadata={"test_status": "succeeded"})
    assert [(one.failure_distance, one.exception_distance) for one in recording.calls] == [(-1, -1)]


def test_updates_replace_events_before_anything_else():
    """Node writes the route of a request there, as `:id`; spec and Python say `{id}`."""
    recording = read_recording(DATA / "node_request_get_items_404.appmap.json")
    (request,) = recording.requests
    assert (request.side, request.method, request.route, request.status) == ("server", "GET", "/items/{id}", 404)
    assert request.event == 1
    assert "id" in recording.parameters


def test_requests_and_queries_know_their_functions():
    """Served: what was called beneath; sent and asked: who did it."""
    recording = of(EVERYTHING)
    server, client = recording.requests
    assert (server.route, server.status, function_names(recording, server.functions)) == (
        "/login/{realm}", 401, ["login", "compare"],
    )  # fmt: skip
    assert (client.route, client.status, function_names(recording, client.functions)) == (
        "api.example.org/keys/{id}", 503, ["login"],
    )  # fmt: skip
    (statement,) = recording.queries
    assert statement.sql == "SELECT * FROM users WHERE name = ? AND age IN (?)"
    assert (statement.database_type, function_names(recording, statement.functions)) == ("sqlite", ["login"])
    assert (statement.requests, statement.event) == ((0,), 3)


def test_the_same_request_and_the_same_query_are_one():
    """With how often, and the event of the first."""
    recording = parsed(
        served(1, "GET", "/items/1"), query(2, "select * from t where id = 1"), back(3, 2),
        back(4, 1, http_server_response={"status_code": 200}),
        served(5, "GET", "/items/2"), query(6, "select * from t where id = 22"), back(7, 6),
        back(8, 5, http_server_response={"status": 200}),
    )  # fmt: skip
    assert [(one.route, one.status, one.n_times, one.event) for one in recording.requests] == [
        ("/items/{id}", 200, 2, 1)
    ]
    assert [(one.n_times, one.event, one.requests) for one in recording.queries] == [(2, 2, (0,))]


def test_many_runs_of_one_statement_are_counted():
    """Recorders of Python say `-- N times` before it."""
    recording = parsed(query(1, "-- 3 times\nINSERT INTO item (name) VALUES (?)"), back(2, 1))
    assert [(one.sql, one.n_times) for one in recording.queries] == [("INSERT INTO item (name) VALUES (?)", 3)]


def test_names_of_parameters_are_kept_and_their_values_are_not():
    """Of calls and of messages."""
    recording = of(EVERYTHING)
    assert recording.parameters == ("password", "user")
    assert recording.parameter_classes == ("String", "builtins.str")


@pytest.mark.parametrize(
    ("path", "line", "expected"),
    [
        ("src/flask/app.py", 33, ("src/flask/app.py", 33)),
        ("./lib/a.js", 3, ("lib/a.js", 3)),
        ("app\\models\\user.rb", 3, ("app/models/user.rb", 3)),
        ("/usr/lib/ruby/gems/rack/lib/rack.rb", 3, ("/usr/lib/ruby/gems/rack/lib/rack.rb", 3)),
        ("app/views/users/show.html.erb", None, ("app/views/users/show.html.erb", 0)),
        ("org/example/petclinic/OwnerController.java", 12, ("org/example/petclinic/OwnerController.java", 12)),
        ("JSON::Ext::Generator::State#generate", None, ("", 0)),
        ("OpenSSL::Cipher#encrypt", None, ("", 0)),
        ("Module.==", None, ("", 0)),
        ("Kernel.exit", None, ("", 0)),
        ("<internal:kernel>", 18, ("", 0)),
        ("(eval)", 1, ("", 0)),
        ("app/a.py", -3, ("app/a.py", 0)),
        (None, None, ("", 0)),
    ],
)
def test_each_recorder_writes_paths_in_its_own_way(path, line, expected):
    """Built-in functions have no file."""
    (one,) = parsed(call(1, "A.m", path, line), back(2, 1)).calls
    assert (one.path, one.line) == expected


def test_accessors_of_python_keep_their_names():
    """`name (get)` is how the recorder tells them apart."""
    assert called(of(EVERYTHING))["check (get)"].fqid == "function:app/auth/Session#check (get)"


def test_threads_do_not_mix():
    """Each has its own stack."""
    recording = parsed(
        call(1, "A.one", line=1, thread=1), call(2, "A.two", line=2, thread=2), back(3, 1, thread=1),
        call(4, "A.three", line=3, thread=2), back(5, 4, thread=2), back(6, 2, thread=2),
    )  # fmt: skip
    assert function_names(recording, called(recording)["three"].callers) == ["two"]
    assert called(recording)["two"].depth == 0
    assert recording.problems == ()


def test_a_call_without_a_return_ends_with_its_caller():
    """What follows is not beneath it."""
    recording = parsed(call(1, "A.a", line=1), call(2, "A.lost", line=2), back(3, 1), call(4, "A.b", line=3))
    assert (called(recording)["b"].depth, recording.problems) == (0, ())


def test_a_promise_returns_after_its_caller_and_keeps_its_stack():
    """Functions that wait return in another order than they were called."""
    recording = parsed(
        call(1, "A.a", line=1), call(2, "A.later", line=2), back(3, 1), back(4, 2, **thrown("Rejected")),
    )  # fmt: skip
    assert function_names(recording, recording.exceptions[0].stack) == ["later", "a"]
    assert recording.problems == ()


def test_returns_of_nothing_are_named():
    """Unknown parents, and a call that returns twice."""
    recording = parsed(back(1, 99), call(2, "A.a"), back(3, 2), back(4, 2))
    assert recording.problems == ("a return belongs to no call: left out", "a call returns twice: left out")


def test_a_return_without_parent_ends_the_last_call_of_its_thread():
    """Some old recordings have none."""
    recording = parsed(
        call(1, "A.a", line=1), {"event": "return", "id": 2, "thread_id": 1}, call(3, "A.b", line=2)
    )  # fmt: skip
    assert called(recording)["b"].depth == 0


@pytest.mark.parametrize(
    "field",
    ["events", "classMap", "metadata", "eventUpdates", "version"],
)
@pytest.mark.parametrize("value", [None, 3, "x", [], {}, [[]], [None, 7], {"x": 1}, True])
def test_a_part_of_the_wrong_type_is_named_or_means_nothing(field, value):
    """Everything else is still read."""
    recording = of({**EVERYTHING, field: value})
    assert recording.n_events == (0 if field == "events" else 12)


def test_a_field_of_the_wrong_type_costs_only_itself():
    """The call stays, so that what lies beneath it stays in place."""
    recording = parsed(
        call(1, "A.a", line=1), call(2, "A.b", path={"no": 1}, line="17"), call(3, "A.c", line=3), back(4, 3),
        back(5, 2), back(6, 1),
    )  # fmt: skip
    assert called(recording)["c"].depth == 2
    assert recording.problems == ("path has the wrong type: ignored",)


def test_a_message_of_the_wrong_type_costs_only_itself():
    """Of an exception, beside the `message` of an event, which is a list."""
    broken = {"exceptions": [{"class": "E", "message": {"not": "text"}}, {"class": 3, "message": "m"}]}
    recording = parsed(call(1, "A.a", message=[{"name": "key"}]), back(2, 1, lineno="x", **broken))
    assert [(one.name, one.message) for one in recording.exceptions] == [("E", ""), ("", "m")]
    assert recording.parameters == ("key",)


def test_a_recording_without_a_name_is_named_after_its_file():
    """And says that it has no metadata."""
    recording = of({"events": []})
    assert (recording.name, recording.problems) == (
        "some_test", ("no metadata: the recording is named after its file",),
    )  # fmt: skip


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"7", b"\xff\xfe", b"{}}", b'{"events":', b"\0" * 100])
def test_what_is_no_recording_is_a_problem(data):
    """Never an error."""
    recording = parse_recording(data, name="x.appmap.json")
    assert recording.problems[0].startswith("not a recording: ")


@pytest.mark.parametrize(
    ("before", "after"),
    [('"sample"', '"sa\\ud83dmple"'), ('"sample"', "NaN"), ('"sample"', '"a\x01b"'), ("{", "\ufeff{")],
)
def test_json_that_is_nearly_right_is_repaired(before, after):
    """Half of a surrogate pair (values are cut in the middle), NaN, control characters, a byte order mark."""
    text = json.dumps(document(call(1, "A.a"), back(2, 1))).replace(before, after, 1)
    recording = parse_recording(text.encode("utf-8", "surrogatepass"), name="x")
    assert [one.name for one in recording.calls] == ["a"]
    assert recording.problems[0].startswith("JSON was repaired")


@pytest.mark.parametrize("depth", [50, 5_000, 200_000])
def test_deep_nesting_is_no_danger(depth):
    """In a value that is not read, and in the class map."""
    deep = b"[" * depth + b"]" * depth
    recording = parse_recording(b'{"metadata": {"name": "x"}, "junk": ' + deep + b', "events": []}', name="x")
    assert recording.problems == () or recording.problems[0].startswith("not a recording")
    tree = b'{"children":[' * depth + b"]}" * depth
    parse_recording(b'{"metadata": {"name": "x"}, "classMap": [' + tree + b'], "events": []}', name="x")


def test_deep_recursion_is_no_danger():
    """A hundred thousand calls that never return, and queries beneath them."""
    events = [call(number, "A.a") for number in range(1, 100_001)]
    recording = parsed(*events, *[query(number, "select 1") for number in range(100_001, 101_001)])
    assert called(recording)["a"].n_calls == 100_000
    assert len(recording.queries[0].stack) <= 50


def test_a_file_that_is_too_large_is_refused_by_name(tmp_path):
    """Before it is read."""
    path = tmp_path / "big.appmap.json"
    path.write_text(json.dumps(EVERYTHING))
    recording = read_recording(path, max_bytes=100)
    assert recording.problems == (f"too large: {path.stat().st_size} bytes, of at most 100",)
    assert recording.name == "big"


def test_a_file_that_cannot_be_opened_is_a_problem(tmp_path):
    """Missing, a folder, no path at all."""
    assert read_recording(tmp_path / "none.appmap.json").problems[0].startswith("cannot be opened: ")
    assert read_recording(tmp_path).problems[0].startswith("cannot be opened: ")
    assert read_recording("a\0b").problems == ("cannot be opened: no path",)


def test_what_is_kept_is_bounded():
    """Whatever the size of the file."""
    many = 3_000
    events = []
    for number in range(many):
        events += [
            call(10 * number, f"A.m{number}", line=number + 1),
            query(10 * number + 1, f"select * from t{'x' * (number % 40)}{number}"),
            back(10 * number + 2, 10 * number + 1),
            sent(10 * number + 3, "GET", f"http://h/{'p' * (number % 30)}q{number % 999}"),
            back(10 * number + 4, 10 * number + 3),
            back(10 * number + 5, 10 * number, **thrown(f"E{number}", "m" * 9_000, number)),
        ]  # fmt: skip
    recording = parsed(*events)
    assert len(recording.queries) <= 500
    assert len(recording.requests) <= 300
    assert len(recording.exceptions) <= 200
    assert max(len(one.message) for one in recording.exceptions) <= 500
    assert len(recording.problems) <= 21
