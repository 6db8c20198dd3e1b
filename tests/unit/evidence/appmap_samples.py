"""Recordings for tests: real small ones, and a short way to write down the events of others."""

from __future__ import annotations

import json
from pathlib import Path

from callsite.evidence.appmap.recording import Recording, parse_recording
from callsite.text.words import Words

DATA = Path(__file__).resolve().parents[2] / "data" / "appmap"
REAL = sorted(DATA.rglob("*.appmap.json"))
INDEXED = DATA / "index_example" / "test_endpoint_decorator"
WORDS = Words()


def call(number, function, path="app/a.py", line=1, *, thread=1, **more):
    """A call of `package.Class.method`."""
    owner, _, method = function.rpartition(".")
    event = {"event": "call", "id": number, "thread_id": thread, "defined_class": owner, "method_id": method}
    return {**event, "path": path, "lineno": line, "static": False, **more}


def back(number, of, *, thread=1, **more):
    """A return of the call `of`."""
    return {"event": "return", "id": number, "parent_id": of, "thread_id": thread, **more}


def thrown(name, message="", number=7):
    """The exceptions of a return."""
    return {"exceptions": [{"class": name, "message": message, "object_id": number}]}


def query(number, sql, database="sqlite", *, thread=1):
    """An SQL query."""
    event = {"event": "call", "id": number, "thread_id": thread}
    return {**event, "sql_query": {"sql": sql, "database_type": database}}


def served(number, method, path, normalized=None, *, thread=1):
    """A request that a server got."""
    request = {"request_method": method, "path_info": path}
    if normalized:
        request["normalized_path_info"] = normalized
    return {"event": "call", "id": number, "thread_id": thread, "http_server_request": request}


def sent(number, method, url, *, thread=1):
    """A request that a client sent."""
    request = {"request_method": method, "url": url}
    return {"event": "call", "id": number, "thread_id": thread, "http_client_request": request}


def document(*events, metadata=None, class_map=(), **top):
    """A whole file, as data."""
    return {
        "version": "1.12",
        "metadata": {"name": "sample", **(metadata or {})},
        "classMap": list(class_map),
        "events": list(events),
        **top,
    }


def parsed(*events, **parts) -> Recording:
    """What is understood of a file."""
    return parse_recording(json.dumps(document(*events, **parts)).encode(), name="sample.appmap.json")


def function_names(recording, positions):
    """`method` of the functions at these positions."""
    return [recording.calls[position].name for position in positions]


def called(recording):
    """The functions of a recording by their names."""
    return {one.name: one for one in recording.calls}


#: Something of everything: requests, queries, exceptions, updates, threads, labels; a failed test.
EVERYTHING = document(
    served(1, "POST", "/login", "/login"),
    call(
        2, "app.auth.Session.login", "app/auth.py", 10,
        parameters=[{"name": "user", "class": "builtins.str", "value": "joe", "kind": "req", "object_id": 4}],
        receiver={"class": "app.auth.Session", "value": "<Session>", "object_id": 5},
    ),
    query(3, "SELECT * FROM users WHERE name = 'joe' AND age IN (1, 2)"),
    back(4, 3),
    sent(5, "GET", "https://me:pw@api.example.org:8080/keys/12?token=abc"),
    back(6, 5, http_client_response={"status": 503, "headers": {"Server": "x"}}),
    call(7, "app.auth.Session.check (get)", "app/auth.py", 30, thread=2),
    call(8, "app.auth.compare", "app/auth.py", 50, static=True),
    back(9, 8, **thrown("app.auth.WrongPassword", "wrong password for joe")),
    back(10, 7, thread=2, return_value={"class": "builtins.bool", "value": "True", "object_id": 9}),
    back(11, 2, **thrown("app.auth.WrongPassword", "wrong password for joe")),
    back(12, 1, http_server_response={"status_code": 401, "headers": {"Set-Cookie": "sid=1"}}),
    metadata={
        "app": "shop", "labels": ["security"], "language": {"name": "python", "engine": "CPython", "version": "3.11"},
        "frameworks": [{"name": "flask", "version": "3.1"}], "recorder": {"name": "pytest", "type": "tests"},
        "source_location": "tests/test_auth.py:5", "test_status": "failed", "feature": "Login",
        "test_failure": {"message": "WrongPassword: wrong password for joe", "location": "tests/test_auth.py:9"},
        "exception": {"class": "WrongPassword", "message": "wrong password for joe"},
        "git": {"repository": "https://x:y@example.org/a.git", "branch": "main", "commit": "0" * 40},
        "client": {"name": "appmap", "url": "https://example.org"}, "timestamp": 1796039479.5,
    },
    class_map=[
        {"name": "app", "type": "package", "children": [
            {"name": "auth", "type": "package", "children": [
                {"name": "Session", "type": "class", "children": [
                    {"name": "login", "type": "function", "static": False, "location": "app/auth.py:10",
                     "labels": ["security.authentication"], "comment": "Logs in.", "source": "def login(): ..."},
                    {"name": "check (get)", "type": "function", "static": False, "location": "app/auth.py:30"},
                    {"name": "never", "type": "function", "static": False, "location": "app/auth.py:70"},
                ]},
            ]},
        ]},
    ],
    eventUpdates={
        "1": {
            **served(1, "POST", "/login", "/login/:realm"),
            "message": [{"name": "password", "class": "String", "value": "'hunter2'", "object_id": 3}],
        },
    },
)  # fmt: skip
