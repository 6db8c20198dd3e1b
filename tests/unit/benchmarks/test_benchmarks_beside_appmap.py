"""Callsite and AppMap get the same reports, recordings and budgets, and the data folder's own score."""

import gzip
import json
from pathlib import Path

import pytest

import callsite
from benchmarks import beside_appmap
from benchmarks.engines.appmap_context import Context
from benchmarks.engines.contract import Place

SCORE = """
import json, sys
results, given = sys.argv[1], sys.argv[2:]
rows = [json.loads(line) for line in open(results)]
with open(given[given.index("--per-instance") + 1], "w") as out:
    for row in rows:
        share = float(any(one["path"] == "cart.py" for one in row["snippets"]))
        figures = {"file@1": share, "func@8k": share / 2, "func@16k": share, "MRR": share}
        out.write(json.dumps({"id": row["id"], **figures}) + "\\n")
"""


class FakePeer:
    """Knows the answer to short questions only, and notes what it was asked."""

    name, version = "appmap context", "0"

    def __init__(self):
        self.asked, self.recordings = [], []

    def prepare(self, folder, recording, workshop):
        self.recordings.append(recording.read_text("utf-8"))
        return Context(places=(), seconds=1.0)

    def ask(self, question, *, budget, workshop):
        self.asked.append((question, budget))
        if len(question) > 30:
            return Context(places=(), seconds=3.0, problem="too long")
        return Context(places=(Place(path="cart.py", first_line=1, last_line=2),), seconds=2.0)


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """The results for one report with a recording beside one without, and the peer that was asked."""
    monkeypatch.setenv("PYTHONPATH", str(Path(callsite.__file__).parents[1]))
    corpus, data = tmp_path / "home" / "corpora" / "shop-1", tmp_path / "data" / "bugloc"
    corpus.mkdir(parents=True)
    data.mkdir(parents=True)
    (corpus / "cart.py").write_text("def total(items):\n    return sum(items)\n")
    (data / "one.appmap.json.gz").write_bytes(gzip.compress(b'{"events": []}'))
    (data / "score.py").write_text(SCORE)
    report = {"query": "The total is wrong. It ignores the items.", "style": "api", "sdist": {"root": "shop-1"}}
    reports = [{"id": "shop-1", "appmap": {"file": "one.appmap.json.gz"}, **report}, {"id": "shop-2", **report}]
    (data / "dev.jsonl").write_text("".join(json.dumps(one) + "\n" for one in reports))
    peer = FakePeer()
    return beside_appmap.measure(peer, data=tmp_path / "data", home=tmp_path / "home"), peer


def test_each_form_of_the_question_is_asked_within_each_budget(measured):
    """Of the reports that have a recording, which comes unpacked."""
    _, peer = measured
    forms = ["The total is wrong. It ignores the items.", "The total is wrong.", "total wrong ignores items"]
    assert peer.asked == [(form, budget) for form in forms for budget in (16_000, 8_000)]
    assert peer.recordings == ['{"events": []}']


def test_figures_are_means_by_style_and_by_report(measured):
    """A form that failed shows nothing; it is named, and the rest counts."""
    results, _ = measured
    shares = {asked: groups["all"]["func@16k"] for asked, groups in results["figures"].items()}
    assert shares == {
        "callsite, recording": 1.0,
        "callsite, no recording": 1.0,
        "AppMap, the report": 0.0,
        "AppMap, its first sentence": 1.0,
        "AppMap, its keywords": 1.0,
    }
    assert results["figures"]["callsite, recording"]["api"]["func@8k"] == 0.5
    assert results["func@16k by report"]["AppMap, its keywords"] == {"shop-1": 1.0}
    assert [(one["report"], one["asked"]) for one in results["failures"]] == [
        ("shop-1", "the report, 16k"),
        ("shop-1", "the report, 8k"),
    ]


def test_the_first_answer_takes_the_time_of_the_index_too(measured):
    """The later ones don't."""
    seconds = measured[0]["seconds"]
    assert (seconds["AppMap, first"], seconds["AppMap, again"]) == (4.0, 2.0)
    assert seconds["callsite, first"] > 0
