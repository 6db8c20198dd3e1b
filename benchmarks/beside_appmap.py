"""Does callsite show the functions of a fix more often than AppMap, given the same recording and characters?

bugloc's reports that have a recording of the failing run: the report and that recording alone, nothing to choose from.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import callsite
from benchmarks import data as sets
from benchmarks.engines.appmap_context import AppMapContext
from benchmarks.engines.callsite_engine import CallsiteProgram
from benchmarks.engines.contract import Place
from benchmarks.engines.keywords import keywords
from benchmarks.evidence import places_of, plain_recording
from benchmarks.quality import BUGLOC_BUDGETS, Figures, bugloc_cases

_END_OF_SENTENCE = re.compile(r"(?<=[.!?])\s")
#: The words that AppMap is asked with; what counts is the form that does better over all reports.
FORMS: dict[str, Callable[[str], str]] = {
    "the report": str,
    "its first sentence": lambda report: _END_OF_SENTENCE.split(report, maxsplit=1)[0],
    "its keywords": lambda report: " ".join(keywords(report)),
}
BUDGETS = {name: BUGLOC_BUDGETS[name] for name in ("16k", "8k")}
_FIGURES = ("file@1", "func@8k", "func@16k", "MRR")
_Found = dict[str, dict[str, dict[str, list[Place]]]]  # what was asked → budget → report → places


class _Sheet:
    """What all engines showed, how long each command took, what failed."""

    def __init__(self) -> None:
        self.found: _Found = defaultdict(lambda: {budget: {} for budget in BUDGETS})
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.failures: list[dict[str, str]] = []


def measure(peer: AppMapContext, *, data: Path, home: Path) -> Figures:
    """Figures of the data folder's own score, report by report and as means; seconds; what failed."""
    reports = [report for report in sets.bugloc_reports(data, home) if report.record.get("appmap")]
    sheet = _Sheet()
    for report in reports:
        with tempfile.TemporaryDirectory(prefix="callsite-bench-") as temporary:
            recording = plain_recording(data / "bugloc" / report.record["appmap"]["file"], Path(temporary) / "failing")
            _ask_callsite(report, recording, sheet, Path(temporary))
            _ask_peer(peer, report, recording, sheet, Path(temporary))
        taken = {name: round(times[-1], 2) for name, times in sheet.seconds.items()}
        print(report.record["id"], taken, file=sys.stderr, flush=True)
    styles = {report.record["id"]: report.record["style"] for report in reports}
    cases = {asked: _cases(by_budget, styles, data=data, home=home) for asked, by_budget in sheet.found.items()}
    shares = {asked: {id: row["func@16k"] for id, row in rows.items()} for asked, rows in cases.items()}
    return {
        "figures": {asked: _means(rows) for asked, rows in cases.items()},
        "func@16k by report": shares,
        "seconds": {name: round(statistics.median(times), 3) for name, times in sheet.seconds.items()},
        "failures": sheet.failures,
    }


def _ask_callsite(report: sets.Report, recording: Path, sheet: _Sheet, workshop: Path) -> None:
    id, folder = report.record["id"], report.checkout.folder
    with callsite.open(folder, home=str(workshop / "callsite")) as engine:
        for asked, recordings in (("callsite, recording", [str(recording)]), ("callsite, no recording", [])):
            for name, budget in BUDGETS.items():
                answer = engine.context(report.query, recordings=recordings, budget=budget)
                sheet.found[asked][name][id] = places_of(answer)
    program = CallsiteProgram()
    command = program.context_command(report.query, folder, recordings=[recording], budget=BUDGETS["16k"])
    environment = os.environ | program.environment(workshop / "callsite as a command")
    for name in ("callsite, first", "callsite, again"):
        begun = time.perf_counter()
        subprocess.run(command, env=environment, check=True, capture_output=True)
        sheet.seconds[name].append(time.perf_counter() - begun)


def _ask_peer(peer: AppMapContext, report: sets.Report, recording: Path, sheet: _Sheet, workshop: Path) -> None:
    """Its first answer took the time of its index too."""
    id = report.record["id"]
    prepared = peer.prepare(report.checkout.folder, recording, workshop)
    problems, times = [("index", prepared.problem)], []
    for form, words in FORMS.items():
        for name, budget in BUDGETS.items():
            answer = peer.ask(words(report.query), budget=budget, workshop=workshop)
            sheet.found[f"AppMap, {form}"][name][id] = list(answer.places)
            problems.append((f"{form}, {name}", answer.problem))
            times.append(answer.seconds)
    sheet.failures += [{"report": id, "asked": asked, "problem": problem} for asked, problem in problems if problem]
    sheet.seconds["AppMap, index of the recording"].append(prepared.seconds)
    sheet.seconds["AppMap, first"].append(prepared.seconds + times[0])
    sheet.seconds["AppMap, again"].append(statistics.median(times[1:]))


def _cases(
    by_budget: dict[str, dict[str, list[Place]]], styles: dict[str, str], *, data: Path, home: Path
) -> dict[str, dict[str, Any]]:
    """Report → style and figures; what is said of a budget comes from the answer that was asked to fit it."""
    rows = {name: bugloc_cases(places, data=data, home=home) for name, places in by_budget.items()}
    return {
        id: {"style": style, **{key: rows["8k" if key.endswith("@8k") else "16k"][id][key] for key in _FIGURES}}
        for id, style in styles.items()
    }


def _means(rows: dict[str, dict[str, Any]]) -> Figures:
    groups: dict[str, list[dict[str, Any]]] = {"all": list(rows.values())}
    for row in rows.values():
        groups.setdefault(row["style"], []).append(row)
    return {
        name: {"n": len(group), **{key: round(statistics.fmean(row[key] for row in group), 3) for key in _FIGURES}}
        for name, group in sorted(groups.items())
    }
