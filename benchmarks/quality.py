"""Does the right code come first? Three sets of questions with known answers, the same for every engine."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import data as sets
from benchmarks import scoring
from benchmarks.engines.contract import Checkout, PeerFailed, Place, Ranker

Figures = dict[str, Any]
N_FILES = 50  # the ranking of a report is cut here
BUGLOC_N = 100
BUGLOC_BUDGETS = {"40k": 40_000, "16k": 16_000, "8k": 8_000}  # each figure is of an answer that was asked to fit it


def semble(rankers: Sequence[Ranker], *, data: Path, home: Path, only: Collection[str]) -> dict[str, Figures]:
    """NDCG@10: all, the compared 14, the pinned; by category and repository."""
    repositories = [r for r in sets.semble_repositories(data, home) if not only or r.name in only]
    reference = scoring.reference(data)
    figures = {}
    for ranker in rankers:
        rows: list[dict[str, Any]] = []
        for repository in repositories:
            questions = [question["query"] for question in repository.questions]
            answers = _rank(ranker, repository.checkout, questions, n=10)
            for question, places in zip(repository.questions, answers, strict=True):
                targets = question["relevant"] + question.get("secondary", [])
                score = scoring.semble_score(places, targets)
                _agree(score, reference.semble_ndcg(_tuples(places), targets))
                rows.append({"repository": repository, "category": question["category"], "score": score})
            _tell(f"{ranker.name} {repository.name} {_mean(rows[-len(questions) :]):.3f}")
        figures[ranker.name] = _semble_figures(rows)
    return figures


def _semble_figures(rows: list[dict[str, Any]]) -> Figures:
    pinned = [row for row in rows if row["repository"].is_pinned]
    compared = [row for row in rows if row["repository"].name in sets.COMPARED]
    return {
        "all": _group(rows),
        "compared 14": _group(compared),
        "pinned": _group(pinned),
        "by category": {name: _group(part) for name, part in _parts(rows, lambda row: row["category"])},
        "by repository": {
            name: {**_group(part), "pinned": part[0]["repository"].is_pinned}
            for name, part in _parts(rows, lambda row: row["repository"].name)
        },
    }


def swebench(rankers: Sequence[Ranker], *, data: Path, home: Path, only: Collection[str]) -> dict[str, Figures]:
    """The share of reports with every file of the fix among the first 1, 3, 5, 10 files.

    Each task has an index of its own: nothing of a later commit is anywhere in it.
    """
    tasks = [
        task for task in sets.swebench_reports(data, home) if not only or task.record["repo"].split("/")[1] in only
    ]
    reference = scoring.reference(data)
    ranks: dict[str, list[int]] = defaultdict(list)
    for number, task in enumerate(tasks, 1):
        with tempfile.TemporaryDirectory(prefix="callsite-bench-") as temporary:
            exported: Checkout | None = None
            for ranker in rankers:
                if not ranker.reads_commits:
                    exported = exported or sets.export(task.checkout, Path(temporary) / "files")
                checkout = task.checkout if ranker.reads_commits or exported is None else exported
                files = [place.path for place in _rank(ranker, checkout, [task.query], n=N_FILES)[0]]
                rank = scoring.last_file_rank(files, task.record["gold"])
                _agree(rank, reference.swebench_rank(files, task.record["gold"]))
                ranks[ranker.name].append(rank)
        _tell(f"{number}/{len(tasks)} {task.record['id']} { ({name: r[-1] for name, r in ranks.items()}) }")
    return {name: _swebench_figures(found, tasks) for name, found in ranks.items()}


def _swebench_figures(ranks: list[int], tasks: Sequence[sets.Report]) -> Figures:
    rows = [{"rank": rank, "location": task.record["location"]} for rank, task in zip(ranks, tasks, strict=True)]
    return {
        "all": _within(rows),
        "by what the report names": {name: _within(part) for name, part in _parts(rows, lambda row: row["location"])},
    }


def _within(rows: list[dict[str, Any]]) -> Figures:
    shares = {f"acc@{k}": 100 * sum(row["rank"] <= k for row in rows) / len(rows) for k in (1, 3, 5, 10)}
    return {"n": len(rows), **{name: round(share, 1) for name, share in shares.items()}}


def bugloc(rankers: Sequence[Ranker], *, data: Path, home: Path, only: Collection[str]) -> dict[str, Figures]:
    """The data folder's own score of functions within a budget, without evidence; the rest is of the largest budget."""
    reports = [r for r in sets.bugloc_reports(data, home) if not only or r.record["project"] in only]
    figures = {}
    for ranker in rankers:
        found: dict[str, dict[str, list[Place]]] = {name: {} for name in BUGLOC_BUDGETS}
        for folder, part in _parts(reports, lambda report: report.checkout.folder):
            questions = [report.query for report in part]
            for name, budget in BUGLOC_BUDGETS.items():
                answers = _rank(ranker, Checkout(folder=folder), questions, n=BUGLOC_N, budget=budget)
                found[name] |= {report.record["id"]: places for report, places in zip(part, answers, strict=True)}
            _tell(f"{ranker.name} {folder.name}")
        by_budget = {name: bugloc_figures(one, data=data, home=home) for name, one in found.items()}
        figures[ranker.name] = each_of_its_budget(by_budget)
    return figures


def each_of_its_budget(by_budget: dict[str, Figures]) -> Figures:
    """One table of figures: what is said of a budget comes from the answers that were asked to fit it."""
    widest = next(iter(by_budget.values()))
    return {
        group: {key: by_budget.get(key.rpartition("@")[2], by_budget["40k"])[group][key] for key in figures}
        for group, figures in widest.items()
    }


def bugloc_figures(found: dict[str, list[Place]], *, data: Path, home: Path) -> Figures:
    """Group of reports → means."""
    groups: dict[str, Figures] = json.loads(_bugloc_score(found, "--json", data=data, home=home))
    return {name: {key: round(value, 3) for key, value in group.items()} for name, group in groups.items()}


def bugloc_cases(found: dict[str, list[Place]], *, data: Path, home: Path) -> dict[str, Figures]:
    """Report → its own figures."""
    rows = [json.loads(line) for line in _bugloc_score(found, "--per-instance", data=data, home=home).splitlines()]
    return {row["id"]: row for row in rows}


def _bugloc_score(found: dict[str, list[Place]], asked: str, *, data: Path, home: Path) -> str:
    """What the data folder's own program writes for one of its options."""
    with tempfile.TemporaryDirectory(prefix="callsite-bench-") as temporary:
        results, written = Path(temporary) / "results.jsonl", Path(temporary) / "written"
        results.write_text("".join(_bugloc_line(id, places) for id, places in found.items()), "utf-8")
        given = ["--instances", str(data / "bugloc" / "dev.jsonl"), "--corpora", str(home / "corpora")]
        options = ["--by", "style", "--ids-only-in-results", asked, str(written)]
        score = [sys.executable, str(data / "bugloc" / "score.py"), str(results), *given, *options]
        subprocess.run(score, check=True, stdout=subprocess.DEVNULL)
        return written.read_text("utf-8")


def _bugloc_line(id: str, places: Iterable[Place]) -> str:
    snippets = [{"path": place.path, "start": place.first_line, "end": place.last_line} for place in places]
    return json.dumps({"id": id, "snippets": snippets}) + "\n"


def _rank(
    ranker: Ranker, checkout: Checkout, questions: Sequence[str], *, n: int, budget: int | None = None
) -> list[list[Place]]:
    try:
        return ranker.rank(checkout, questions, n=n, budget=budget)
    except PeerFailed as failure:
        _tell(f"{ranker.name} found nothing in {checkout.folder.name}: {failure}")
        return [[] for _ in questions]


def _agree(ours: float, theirs: float) -> None:
    if abs(ours - theirs) > 1e-9:
        raise AssertionError(f"our score is {ours}, that of the data folder {theirs}")


def _tuples(places: Iterable[Place]) -> list[tuple[str, int, int]]:
    return [(place.path, place.first_line, place.last_line) for place in places]


def _parts(rows: Iterable[Any], key: Callable[[Any], Any]) -> list[tuple[Any, list[Any]]]:
    parts: dict[Any, list[Any]] = defaultdict(list)
    for row in rows:
        parts[key(row)].append(row)
    return sorted(parts.items())


def _group(rows: list[dict[str, Any]]) -> Figures:
    return {"n": len(rows), "ndcg@10": round(_mean(rows), 4)}


def _mean(rows: list[dict[str, Any]]) -> float:
    return statistics.fmean(row["score"] for row in rows) if rows else 0.0


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
