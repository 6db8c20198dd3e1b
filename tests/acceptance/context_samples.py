"""A small project with recordings of its tests, for the tests of `context`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from command_line import write

BODY = "    paper = cellar.fold(paper, twice=True)\n" * 12
#: Files of equal text: six functions of 15 lines each, `weigh_a` to `weigh_f`.
TWIN = "".join(f"def weigh_{letter}(parcel):\n{BODY}    return scale(parcel)\n\n" for letter in "abcdef")
POST = {
    "post/left.py": TWIN,
    "post/right.py": TWIN,
    "post/far.py": "def weld(iron):\n    return iron\n",
    "web/counter.go": "package web\n\nfunc Weigh(parcel int) int {\n\treturn parcel\n}\n",
}

Place = tuple[str, int, str]  #: path, line, function


def place(path: str, letter: str) -> Place:
    """Where one of the functions of a twin stands."""
    return path, 15 * "abcdef".index(letter) + 1, f"weigh_{letter}"


def recording(
    *places: Place, name: str, status: str = "succeeded", raises: str = "", sql: str = ""
) -> dict[str, object]:
    """A run that went down through the places; the innermost raised, and issued a statement."""
    events: list[dict[str, object]] = []
    for number, (path, line, function) in enumerate(places, 1):
        call = {"id": number, "event": "call", "thread_id": 1, "defined_class": "post.Office", "method_id": function}
        events.append({**call, "path": path, "lineno": line, "static": True})
    if sql:
        query = {"sql": sql, "database_type": "sqlite"}
        events.append({"id": 500, "event": "call", "thread_id": 1, "sql_query": query})
        events.append({"id": 501, "event": "return", "thread_id": 1, "parent_id": 500})
    for number in range(len(places), 0, -1):
        raised = [{"class": raises, "message": "broken", "object_id": 1}] if raises else None
        end = {"id": 1_000 + number, "event": "return", "thread_id": 1, "parent_id": number}
        events.append({**end, "exceptions": raised} if raised else end)
    metadata = {"name": name, "test_status": status, "recorder": {"name": "pytest", "type": "tests"}}
    return {"version": "1.12", "metadata": metadata, "classMap": [], "events": events}


def request_recording(side: str, method: str, route: str, behind: Place, *, name: str) -> dict[str, object]:
    """A run in which a request was served by a function, or sent by it."""
    made = recording(behind, name=name)
    call, end = made["events"]
    key = {"server": "path_info", "client": "url"}[side]
    request = {
        "id": 600,
        "event": "call",
        "thread_id": 1,
        f"http_{side}_request": {"request_method": method, key: route},
    }
    answer = {"id": 601, "event": "return", "thread_id": 1, "parent_id": 600, f"http_{side}_response": {"status": 200}}
    made["events"] = [request, call, end, answer] if side == "server" else [call, request, answer, end]
    return made


def keep(root: Path, name: str, made: object) -> Path:
    """Where a recording was written, as projects keep them."""
    file = root / "tmp" / "appmap" / f"{name}.appmap.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(made), "utf-8")
    return file


def make_post(root: Path) -> Path:
    """The project, without recordings."""
    write(root, POST)
    return root


def python_trace(places: Sequence[Place], error: str = "ScaleError: broken") -> str:
    """What Python prints, the last place being the innermost."""
    frames = "".join(f'  File "/ci/{path}", line {line + 1}, in {function}\n' for path, line, function in places)
    return f"Traceback (most recent call last):\n{frames}{error}\n"
