"""Context: traces and recordings choose the code, their secrets stay in them, and the answer says its sources."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import callsite

SECRET = "hunter2-9f8e7d6c5b4a39281706f5e4d3c2b1a0"
BODY = "    paper = cellar.fold(paper, twice=True)\n" * 12
SHOP = {
    "shop/cart.py": "".join(f"def total_{name}(items):\n{BODY}    return price(items)\n\n\n" for name in "abcdef"),
    "shop/stock.py": "".join(f"def total_{name}(shelf):\n{BODY}    return count(shelf)\n\n\n" for name in "ghijkl"),
    "shop/other.py": "def paint(wall):\n    return wall\n",
}


def recording(*functions, name="total fails", status="failed"):
    """A small recording of a test that went through some functions; the last raised."""
    events, stack = [], []
    for number, (path, line, function) in enumerate(functions, 1):
        events.append(
            {
                "id": number, "event": "call", "thread_id": 1, "defined_class": "shop.Cart", "method_id": function,
                "path": path, "lineno": line, "static": True,
                "parameters": [{"name": "items", "class": "builtins.str", "value": SECRET, "kind": "req"}],
            }
        )  # fmt: skip
        stack.append(number)
    for number in reversed(stack):
        raised = [
            {"class": "shop.CartError", "message": "no price", "object_id": 1, "path": functions[-1][0], "lineno": 1}
        ]
        events.append(
            {
                "id": 100 + number, "event": "return", "thread_id": 1, "parent_id": number, "exceptions": raised,
                "return_value": {"class": "builtins.str", "value": SECRET},
            }
        )  # fmt: skip
    metadata = {"name": name, "test_status": status, "recorder": {"name": "pytest", "type": "tests"}}
    return {"version": "1.9", "metadata": metadata, "classMap": [], "events": events}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for path, text in SHOP.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return root


def keep(root: Path, name: str, made: object) -> Path:
    place = root / "tmp" / "appmap" / f"{name}.appmap.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(made), "utf-8")
    return place


@pytest.fixture
def engine(shop, tmp_path):
    with callsite.open(shop, home=str(tmp_path / "home")) as engine:
        yield engine


def first(answer):
    return answer.hits[0].path, answer.hits[0].name


def test_a_trace_beside_the_question_chooses_the_function(engine):
    """S10: in whichever file; the text of the question is given back as it was."""
    for path, name, line in (("shop/cart.py", "total_d", 49), ("shop/stock.py", "total_h", 17)):
        trace = f'Traceback (most recent call last):\n  File "/x/{path}", line {line}, in {name}\nKeyError: 1\n'
        answer = engine.context("the total is wrong", evidence=[trace])
        assert first(answer) == (path, name)
        assert answer.question == "the total is wrong"


def test_recordings_of_the_project_are_found_and_chosen(engine, shop):
    """S2: by what they say; those that don't match are left out."""
    keep(shop, "cart", recording(("shop/cart.py", 1, "total_e"), name="total of the cart fails"))
    keep(shop, "paint", recording(("shop/other.py", 1, "paint"), name="walls", status="succeeded"))
    answer = engine.context("total of the cart")
    assert [used.name for used in answer.recordings] == ["total of the cart fails"]
    assert first(answer) == ("shop/cart.py", "total_e")
    assert "raised CartError" in next(r.detail for r in answer.hits[0].reasons if r.label == "recorded")


def test_recordings_that_are_named_all_count(engine, shop, tmp_path):
    """Also from elsewhere, and without any word in common with the question."""
    place = keep(tmp_path / "elsewhere", "zzz", recording(("shop/stock.py", 1, "total_k"), name="zzz"))
    answer = engine.context("count", recordings=[str(place)])
    assert [used.path for used in answer.recordings] == [str(place)]
    assert first(answer) == ("shop/stock.py", "total_k")


def test_a_folder_that_is_named_is_chosen_from(engine, shop, tmp_path):
    """S2: nobody means all of hundreds."""
    keep(tmp_path / "elsewhere", "cart", recording(("shop/cart.py", 1, "total_e"), name="total fails"))
    keep(tmp_path / "elsewhere", "paint", recording(("shop/other.py", 1, "paint"), name="walls", status="succeeded"))
    answer = engine.context("total fails", recordings=[str(tmp_path / "elsewhere")])
    assert [used.name for used in answer.recordings] == ["total fails"]


def served(*queries, route="/carts/{id}", name="GET /carts/7 (200)"):
    """A recording of a request that issues statements."""
    events = [
        {"id": 1, "event": "call", "thread_id": 1, "http_server_request": {
            "request_method": "GET", "path_info": "/carts/7", "normalized_path_info": route,
            "headers": {"Authorization": SECRET}}},
        {"id": 2, "event": "call", "thread_id": 1, "defined_class": "shop.Cart", "method_id": "total_b",
         "path": "shop/cart.py", "lineno": 1, "static": True},
    ]  # fmt: skip
    for number, sql in enumerate(queries, 3):
        query = {"sql": sql, "database_type": "postgres"}
        events.append({"id": number, "event": "call", "thread_id": 1, "sql_query": query})
        events.append({"id": 100 + number, "event": "return", "thread_id": 1, "parent_id": number})
    events.append({"id": 90, "event": "return", "thread_id": 1, "parent_id": 2})
    events.append(
        {"id": 91, "event": "return", "thread_id": 1, "parent_id": 1, "http_server_response": {"status": 200}}
    )
    metadata = {"name": name, "recorder": {"name": "flask", "type": "requests"}}
    return {"version": "1.9", "metadata": metadata, "classMap": [], "events": events}


def test_statements_and_requests_answer_beside_code(engine, shop):
    """S7: each once, without values, located by recording and event, with the code behind it."""
    sql = f"SELECT discount FROM vouchers WHERE code = '{SECRET}'"
    place = keep(shop, "request", served(sql, sql, f"UPDATE carts SET note = '{SECRET}'"))
    answer = engine.context("which sql query reads the discount of vouchers")
    (statement,) = [hit for hit in answer.hits if hit.type == "data-request"]
    assert (statement.name, statement.path, statement.language) == (
        "SELECT discount FROM vouchers WHERE code = ?", str(place), "sql",
    )  # fmt: skip
    assert statement.source == f"{place}:event 3"
    assert "shop/cart.py:17 total_b" in statement.text  # where it is today
    assert sum(reason.value for reason in statement.reasons) == pytest.approx(statement.score)
    (request, *_) = [hit for hit in engine.context("http server request of carts").hits if hit.type == "data-request"]
    assert request.name == "GET /carts/{id} (200)"
    assert SECRET not in repr(answer) + repr(request)


def test_statements_compete_by_score_and_by_type(engine, shop):
    """No room is kept for them; a filter by type holds for them too; the budget is one."""
    keep(shop, "request", served("SELECT discount FROM vouchers"))
    question = "which sql query reads the discount of vouchers"
    assert {hit.type for hit in engine.context(question, types=["data-request"]).hits} == {"data-request"}
    assert "data-request" not in {hit.type for hit in engine.context(question, types=["function"]).hits}
    for budget in (1, 60, 500, 5_000):
        hits = engine.context(question, budget=budget).hits
        assert sum(len(hit.text) for hit in hits) <= budget
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert "data-request" not in {hit.type for hit in engine.context("total of shelf price items").hits}


def test_an_old_recording_counts_less_and_says_so(engine, shop):
    """S9: its source was changed since."""
    place = keep(shop, "cart", recording(("shop/cart.py", 1, "total_e")))
    (fresh,) = engine.context("total fails").recordings
    long_ago = place.stat().st_mtime - 10_000
    os.utime(place, (long_ago, long_ago))
    (stale,) = engine.context("total fails").recordings
    assert (fresh.is_stale, stale.is_stale) == (False, True)
    assert stale.score < fresh.score
    assert [one.state for one in engine.recordings()] == ["out of date"]


def test_a_recording_that_changes_is_read_anew(engine, shop):
    """And one that goes is forgotten."""
    place = keep(shop, "cart", recording(("shop/cart.py", 1, "total_e")))
    assert first(engine.context("total fails")) == ("shop/cart.py", "total_e")
    keep(shop, "cart", recording(("shop/stock.py", 1, "total_j"), name="total fails again"))
    assert first(engine.context("total fails")) == ("shop/stock.py", "total_j")
    place.unlink()
    assert engine.context("total fails").recordings == ()


def test_what_is_kept_of_a_recording_outlives_the_engine_and_its_own_damage(engine, shop, tmp_path):
    """Entries are read back; a damaged one is made anew."""
    keep(shop, "cart", recording(("shop/cart.py", 1, "total_e")))
    before = engine.context("total fails")
    (entry,) = Path(engine.folder).glob("recordings/*.entry")
    for data in (entry.read_bytes(), entry.read_bytes()[:-9], b"", b"\xff" * 100):
        entry.write_bytes(data)
        with callsite.open(shop, home=str(tmp_path / "home")) as again:
            assert again.context("total fails").hits == before.hits


def test_secrets_of_a_recording_are_nowhere(engine, shop, tmp_path):
    """S15: neither in what is kept nor in what is answered."""
    keep(shop, "cart", recording(("shop/cart.py", 1, "total_e")))
    answer = engine.context("total fails items")
    assert answer.recordings
    assert SECRET not in repr(answer) + repr(engine.recordings()) + repr(engine.evidence(recordings=["tmp/appmap"]))
    kept = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if SECRET.encode() in path.read_bytes()]


def test_what_is_no_recording_is_a_note(engine, shop):
    """The answer comes all the same."""
    keep(shop, "cart", recording(("shop/cart.py", 1, "total_e")))
    (shop / "tmp" / "appmap" / "broken.appmap.json").write_text("{", "utf-8")
    answer = engine.context("total fails")
    assert first(answer) == ("shop/cart.py", "total_e")
    assert any("broken.appmap.json" in note for note in answer.freshness.notes)


def test_evidence_tells_where_each_location_lies(engine, shop):
    """Or why it lies nowhere."""
    text = (
        'Traceback (most recent call last):\n  File "/x/shop/cart.py", line 3, in total_a\n'
        '  File "/usr/lib/python3.11/json/__init__.py", line 3, in load\n'
        '  File "/x/gone.py", line 1, in gone\nKeyError: 1\n'
    )
    (understood,) = engine.evidence(text)
    assert understood.title == "KeyError: 1"
    assert [(one.path, one.function, bool(one.note)) for one in understood.landings] == [
        ("", "gone", True), ("", "load", True), ("shop/cart.py", "total_a", False),
    ]  # fmt: skip
    keep(shop, "cart", recording(("shop/cart.py", 1, "total_e"), ("shop/gone.py", 1, "gone")))
    (understood,) = engine.evidence(recordings=["tmp/appmap/cart.appmap.json"])
    assert {(one.path, one.function) for one in understood.landings} == {("shop/cart.py", "total_e"), ("", "gone")}


def test_each_recording_of_a_folder_tells_its_own_functions(engine, shop):
    """Not those of its neighbours."""
    keep(shop, "cart", recording(("shop/cart.py", 1, "total_e"), name="cart"))
    keep(shop, "stock", recording(("shop/stock.py", 1, "total_k"), name="stock"))
    found = {
        one.title: {landing.function for landing in one.landings} for one in engine.evidence(recordings=["tmp/appmap"])
    }
    assert found == {"cart": {"total_e"}, "stock": {"total_k"}}


def test_a_budget_of_context_is_kept(engine):
    """S12: whatever it is."""
    for budget in (1, 100, 1_000, 5_000):
        assert sum(len(hit.text) for hit in engine.context("total", budget=budget).hits) <= budget


def test_a_question_about_failing_tests_asks_for_code(tmp_path):
    """Saying "test" is no wish to see tests when the evidence is that some of them failed."""
    for path, text in {
        "shop/cart.py": "def total(items):\n    return sum(items) + 1\n",
        "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total([1]) == 1\n",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    with callsite.open(tmp_path, home=str(tmp_path / "home")) as engine:
        output = "FAILED tests/test_cart.py::test_total - assert 2 == 1\n"
        for evidence, counts_less in (([output], True), ([], False)):
            hits = engine.context("why does the test of the total fail", evidence=evidence).hits
            (standing,) = [hit.reasons[0] for hit in hits if hit.path == "tests/test_cart.py"]
            assert ("tests -" in standing.detail) is counts_less
