"""Runs become a page: newest first, bounds compared, nothing invented for what was not measured."""

import json
import subprocess
import sys

import pytest

from benchmarks.aims import AIMS, Aim
from benchmarks.plot import draw
from benchmarks.processes import METER, summary
from benchmarks.queries import quantiles
from benchmarks.report import page
from benchmarks.runs import Run, newest

MACHINE = {
    "processor": "a processor",
    "cores": 2,
    "memory_gib": 8,
    "system": "Linux",
    "python": "3.11.0",
    "git": "2.40.0",
    "callsite": "0.1.0",
    "commit": "0123456789abcdef",
    "changed": False,
}


def _record(measure, results, *, begun="2026-01-01T00:00:00", load=0.0, engines=None, only=()):
    return {
        "measure": measure,
        "begun": begun,
        "seconds": 1,
        "load": {"before": load, "after": load},
        "machine": MACHINE,
        "engines": engines or {"callsite": "0.1.0"},
        "settings": {"only": list(only)},
        "results": results,
    }


def _within(value):
    return {"n": 4, "acc@1": value, "acc@3": value, "acc@5": value, "acc@10": value}


def _swebench(value, name="callsite"):
    return {name: {"all": _within(value), "by what the report names": {"None": _within(value)}}}


def _write(folder, name, record):
    (folder / name).write_text(json.dumps(record))


def test_the_newest_whole_run_of_a_measure_counts(tmp_path):
    """A run of a part is kept and not reported."""
    _write(tmp_path, "2026-01-01.json", _record("quality swebench", _swebench(10.0)))
    _write(tmp_path, "2026-01-02.json", _record("quality swebench", _swebench(20.0)))
    _write(tmp_path, "2026-01-03.json", _record("quality swebench", _swebench(30.0), only=["gin"]))
    assert newest(tmp_path)["quality swebench"]["results"] == _swebench(20.0)


def test_an_engine_that_was_left_out_keeps_its_quality_but_not_its_times(tmp_path):
    """Quality is the same on any day; times compare within one run only."""
    for measure in ("quality swebench", "speed queries"):
        slug = measure.replace(" ", "-")
        _write(tmp_path, f"1-{slug}.json", _record(measure, {"semble": 1, "callsite": 1}, engines={"semble": "1"}))
        _write(tmp_path, f"2-{slug}.json", _record(measure, {"callsite": 2}))
    found = newest(tmp_path)
    assert found["quality swebench"]["results"] == {"semble": 1, "callsite": 2}
    assert found["quality swebench"]["engines"] == {"semble": "1", "callsite": "0.1.0"}
    assert found["speed queries"]["results"] == {"callsite": 2}


@pytest.mark.parametrize(
    ("value", "is_larger_better", "expected"),
    [
        (9.0, False, "aim reached"),
        (15.0, False, "holds"),
        (30.0, False, "missed"),
        (9.0, True, "missed"),
        (25.0, True, "holds"),
        (31.0, True, "aim reached"),
    ],
)
def test_an_aim_is_compared_with_its_bounds(value, is_larger_better, expected):
    """The bound has to hold, the goal may be reached."""
    least, goal = (20.0, 30.0) if is_larger_better else (20.0, 10.0)
    aim = Aim(asked="x", value=lambda records: value, least=least, goal=goal, is_larger_better=is_larger_better)
    assert aim.verdict({})[2] == expected


def test_what_no_run_has_is_not_measured():
    """No aim makes up a figure."""
    assert {aim.verdict({})[2] for aim in AIMS} == {"not measured"}


def test_the_page_shows_figures_and_says_when_the_machine_was_shared():
    """With the load and the commit."""
    text = page({"quality swebench": _record("quality swebench", _swebench(61.5), load=3.0)})
    assert "| callsite | 61.5 | 61.5 | 61.5 | 61.5 |" in text
    assert "| SWE-bench Lite dev, file Acc@1 | 58.0 % | 63.0 % | 61.5 % | holds |" in text
    assert "| SWE-bench Lite dev, file Acc@5 | 83.0 % | 87.0 % | 61.5 % | **missed** |" in text
    assert "load 3.0 when it began, 3.0 at its end, 2 cores" in text
    assert "012345678" in text


def _beside(ours, theirs, *, failures=()):
    group = {"n": 2, "file@1": 0.5, "func@8k": 0.5, "func@16k": ours, "MRR": 0.5}
    asked = {"callsite, recording": ours, "AppMap, the report": theirs / 2, "AppMap, its keywords": theirs}
    return {
        "figures": {name: {"all": {**group, "func@16k": share}} for name, share in asked.items()},
        "func@16k by report": {name: {"a-1": share, "b-2": 0.25} for name, share in asked.items()},
        "seconds": {"AppMap, first": 5.25},
        "failures": list(failures),
    }


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        (0.8, 0.4, "| 2.00 × | 2.00 × | aim reached |"),
        (0.6, 0.4, "| 2.00 × | 1.50 × | holds |"),
        (0.4, 0.8, "| 2.00 × | 0.50 × | **missed** |"),
    ],
)
def test_appmap_counts_with_the_question_that_serves_it_best(ours, theirs, expected):
    """Over all reports."""
    assert expected in page({"evidence appmap": _record("evidence appmap", _beside(ours, theirs))})


def test_the_page_tells_who_is_ahead_how_often_and_what_failed():
    """Report by report against the better answer; a failed command with its reason."""
    failed = {"report": "b-2", "asked": "its keywords, 8k", "problem": "exit 1: a | b"}
    text = page({"evidence appmap": _record("evidence appmap", _beside(0.5, 0.25, failures=[failed]))})
    assert "for 1, fewer for 0, as many for 1." in text
    assert "| b-2 | its keywords, 8k | exit 1: a \\| b |" in text
    assert "| AppMap, first | 5.25 |" in text
    assert "No command of AppMap failed." in page({"evidence appmap": _record("evidence appmap", _beside(0.5, 0.25))})


def test_without_the_peer_the_page_says_that_it_was_not_measured():
    """Its line stays among what was asked, its tables are left out."""
    text = page({"quality swebench": _record("quality swebench", _swebench(61.5))})
    assert "times AppMap's func@16k | – | 2.00 × | – | not measured |" in text
    assert "beside AppMap's context search" not in text


def test_a_quiet_machine_is_called_quiet():
    """A load far below the number of cores."""
    assert "| quiet |" in page({"quality swebench": _record("quality swebench", _swebench(1.0), load=0.1)})


def test_the_plot_draws_a_bar_for_each_engine():
    """As text, without a library."""
    both = _swebench(60.0) | _swebench(30.0, "ripgrep")
    plot = draw({"quality swebench": _record("quality swebench", both)})
    assert plot.startswith("<svg ")
    assert plot.count("<rect") == 1 + 2
    assert "SWE-bench Lite, Acc@5" in plot


def _sample(wall):
    return {"wall": wall, "user": 0.1, "system": 0.1, "peak_kib": 2048, "code": 0, "n_printed": 1}


def test_a_summary_compares_each_run_with_its_neighbour():
    """The median of the ratios, not the ratio of the medians."""
    found = summary([_sample(2.0), _sample(2.0), _sample(30.0)], beside=[_sample(1.0), _sample(2.0), _sample(3.0)])
    assert (found["wall"], found["times callsite"], found["wall most"]) == (2.0, 2.0, 30.0)
    assert (found["cpu"], found["peak MiB"], found["silent"]) == (0.2, 2.0, 0)


def test_quantiles_are_milliseconds():
    """Median and 95th of 100."""
    assert quantiles([i / 1000 for i in range(101)]) == {"n": 101, "p50": 50.0, "p95": 95.0}


@pytest.mark.parametrize("together", [[], ["--together"]])
def test_the_meter_tells_what_a_command_cost(tmp_path, together):
    """Its memory and time with that of its children, its exit code, and how much it printed."""
    program = "import sys; block = b'x' * 60_000_000; print('done'); sys.exit(3)"
    result = tmp_path / "result.json"
    subprocess.run(
        [sys.executable, "-I", str(METER), str(result), *together, sys.executable, "-c", program], check=True
    )
    told = json.loads(result.read_text())
    assert (told["code"], told["n_printed"]) == (3, 5)
    assert told["peak_kib"] > 50_000
    assert told["wall"] > 0


def test_a_run_is_saved_under_its_time_and_measure(tmp_path):
    """With what is needed to judge it, and no name of the machine."""
    path = Run("quality swebench").save({"callsite": 1}, engines={"callsite": "0"}, settings={}, folder=tmp_path)
    record = json.loads(path.read_text())
    assert path.name.endswith("-quality-swebench.json")
    assert record["machine"]["cores"] >= 1
    assert {"node", "host", "user"} & set(record["machine"]) == set()
