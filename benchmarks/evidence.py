"""Does what is known of a run bring the right code first? `Engine.context` with each kind of evidence, and with none.

bugloc: real bugs of Python projects with tracebacks, output of failing tests and recordings. tracelocs: reports with
traces of nine other languages.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import callsite
from benchmarks import data as sets
from benchmarks.engines.contract import Place
from benchmarks.quality import BUGLOC_BUDGETS, Figures, bugloc_figures, each_of_its_budget

#: Kind → which parts of a report's evidence are given.
KINDS = {
    "none": (),
    "traceback": ("traceback",),
    "test output": ("output",),
    "recording": ("recording",),
    "all": ("traceback", "output", "recording"),
    "noise": ("noise",),
}
_FIRST_FUNCTION_CHARACTERS = 8_000
_LINES_OF_BODY = 3  # with the first line of a function, enough to have found it


def bugloc(*, data: Path, home: Path) -> Figures:
    """Kind of evidence → group of reports → figures of the data folder's own score."""
    reports = sets.bugloc_reports(data, home)
    found: dict[str, dict[str, dict[str, list[Place]]]] = {kind: {b: {} for b in BUGLOC_BUDGETS} for kind in KINDS}
    with tempfile.TemporaryDirectory(prefix="callsite-bench-") as workshop:
        for report in reports:
            with callsite.open(report.checkout.folder, home=f"{workshop}/home") as engine:
                parts = _parts(report.record, data=data / "bugloc", workshop=Path(workshop) / report.record["id"])
                for kind, names in KINDS.items():
                    texts = [parts[name] for name in names if isinstance(parts.get(name), str)]
                    recordings = [path for name in names if isinstance(parts.get(name), list) for path in parts[name]]
                    for budget, characters in BUGLOC_BUDGETS.items():
                        answer = engine.context(report.query, evidence=texts, recordings=recordings, budget=characters)
                        found[kind][budget][report.record["id"]] = places_of(answer)
            print(report.record["id"], file=sys.stderr, flush=True)
    return {
        kind: each_of_its_budget({b: bugloc_figures(places, data=data, home=home) for b, places in by_budget.items()})
        for kind, by_budget in found.items()
    }


def _parts(record: dict[str, Any], *, data: Path, workshop: Path) -> dict[str, Any]:
    """The evidence of a report: texts, and lists of recordings; noise is named by its folder, to be chosen from."""
    parts: dict[str, Any] = {"output": record.get("failure_output"), "traceback": record.get("traceback_text")}
    if map_ := record.get("appmap"):
        parts["recording"] = [str(plain_recording(data / map_["file"], workshop / "failing"))]
        noise = [plain_recording(data / _file(one), workshop / "noise") for one in map_.get("noise", ())]
        parts["noise"] = [str(noise[0].parent)] if noise else []
    return parts


def _file(one: Any) -> str:
    return str(one["file"] if isinstance(one, dict) else one)


def plain_recording(path: Path, folder: Path) -> Path:
    """The recording without compression, in a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / path.name.removesuffix(".gz")
    data = path.read_bytes()
    place.write_bytes(gzip.decompress(data) if path.suffix == ".gz" else data)
    return place


def places_of(answer: callsite.Answer) -> list[Place]:
    code = [hit for hit in answer.hits if hit.last_line]
    return [Place(path=hit.path, first_line=hit.first_line, last_line=hit.last_line) for hit in code]


def tracelocs(*, data: Path, home: Path) -> Figures:
    """The share of reports with a file of the fix first, among five, and with a function of it in 8,000 characters.

    Checkouts at the commit before the fix lie in `home/traces`.
    """
    rows: list[dict[str, Any]] = []
    for line in (data / "tracelocs" / "dev.jsonl").read_text("utf-8").splitlines():
        case = json.loads(line)
        with (
            tempfile.TemporaryDirectory(prefix="callsite-bench-") as temporary,
            callsite.open(home / "traces" / case["id"], home=temporary) as engine,
        ):
            files = [hit.path for hit in engine.search(f"{case['query']}\n\n{case['trace']}", n=20).hits]
            packed = engine.context(case["query"], evidence=[case["trace"]], budget=_FIRST_FUNCTION_CHARACTERS).hits
        rows.append({"language": case["language"], **_scores(case["gold"], list(dict.fromkeys(files)), packed)})
        print(case["id"], rows[-1], file=sys.stderr, flush=True)
    languages = sorted({row["language"] for row in rows})
    by_language = {name: _means([row for row in rows if row["language"] == name]) for name in languages}
    return {"all": _means(rows), "by language": by_language}


def _scores(gold: list[dict[str, Any]], files: Sequence[str], packed: Sequence[callsite.Hit]) -> dict[str, bool]:
    wanted = {one["file"] for one in gold}
    return {
        "file@1": not wanted.isdisjoint(files[:1]),
        "file@5": not wanted.isdisjoint(files[:5]),
        "first function": any(_shows(hit, one) for hit in packed for one in gold if one.get("lines")),
    }


def _shows(hit: callsite.Hit, gold: dict[str, Any]) -> bool:
    """Half of the function's lines, or its first ones."""
    first, last = gold["lines"]
    if hit.path != gold["file"]:
        return False
    common = min(hit.last_line, last) - max(hit.first_line, first) + 1
    opens = hit.first_line <= first and hit.last_line >= min(last, first + _LINES_OF_BODY)
    return bool(2 * common >= last - first + 1 or opens)


def _means(rows: list[dict[str, Any]]) -> Figures:
    names = ("file@1", "file@5", "first function")
    return {"n": len(rows), **{name: round(sum(row[name] for row in rows) / len(rows), 3) for name in names}}
