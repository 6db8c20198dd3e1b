"""The cost of recordings, measured on a small checkout."""

from __future__ import annotations

import json

import pytest

from benchmarks import recorded
from benchmarks.report import _recordings


def recording(name, *, n_calls):
    """One function of one file, called so many times."""
    call = {"event": "call", "thread_id": 1, "defined_class": "shop.Cart", "method_id": "pay", "static": True}
    events = []
    for number in range(1, n_calls + 1):
        events.append({**call, "id": 2 * number, "path": "shop/cart.py", "lineno": 1})
        events.append({"id": 2 * number + 1, "event": "return", "thread_id": 1, "parent_id": 2 * number})
    return json.dumps({"version": "1.9", "metadata": {"name": name}, "events": events})


@pytest.fixture
def checkout(tmp_path):
    root = tmp_path / "checkout"
    for path, text in {
        "shop/cart.py": "def pay(): ...\n",
        "tmp/appmap/a.appmap.json": recording("session cookie", n_calls=3),
        "tmp/appmap/b.appmap.json": recording("other", n_calls=9),
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def test_the_large_ones_are_the_largest_run_many_times(checkout, tmp_path):
    """Whole events with numbers of their own, of about the size that is wanted."""
    places = recorded._grown(checkout / "tmp" / "appmap" / "b.appmap.json", tmp_path / "large")
    assert [0.9 < place.stat().st_size / size < 1.1 for place, size in zip(places, recorded.LARGE_BYTES, strict=True)]
    ids = [event["id"] for event in json.loads(places[0].read_text())["events"]]
    assert len(ids) == len(set(ids))


def test_each_cost_is_measured(checkout, tmp_path, monkeypatch):
    """And shown on the page, beside what was asked."""
    monkeypatch.setattr(recorded, "LARGE_BYTES", (20_000, 30_000))
    for name in ("_N_FIRST", "_N_WARM", "_N_LARGE"):
        monkeypatch.setattr(recorded, name, 1)
    found = recorded.measure(checkout=checkout, workshop=tmp_path / "workshop")
    assert found["recordings"] == 2
    assert found["first"]["wall"] > 0
    assert found["ten large"]["wall"] > 0
    assert "| a command with ten large ones, " in _recordings(found)
