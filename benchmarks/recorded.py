"""What do recordings cost? Reading hundreds of them, choosing among them, and an answer with ten large ones.

The checkout holds its recordings, as its test suite left them (`appmap_dir` in appmap.yml).
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import callsite
from benchmarks.engines.callsite_engine import CallsiteProgram
from benchmarks.processes import Sample, metered

QUESTIONS = (
    "session cookie expiry",
    "blueprint register url prefix",
    "json provider dumps default",
    "teardown of the request context",
    "static file with a maximum age",
)
_NO_RECORDINGS = "none"
_N_FIRST, _N_WARM, _N_LARGE = 3, 20, 5
LARGE_BYTES = tuple(1_000_000 + n * 175_000 for n in range(10))  #: sizes of the ten large recordings, to 2.6 MB


def measure(*, checkout: Path, workshop: Path) -> dict[str, Any]:
    """Seconds and MiB: all recordings for the first time, choosing among them, an answer with ten large ones."""
    nothing = workshop / _NO_RECORDINGS
    nothing.mkdir(parents=True)
    with callsite.open(checkout, home=str(workshop / "home")) as engine:
        known = engine.recordings()
        sizes = [os.path.getsize(one.path) for one in known if os.path.exists(one.path)]
    return {
        "recordings": len(known),
        "mb": round(sum(sizes) / 1e6, 1),
        "first": _first(checkout, nothing, workshop),
        "choosing": _choosing(checkout, nothing, workshop / "home"),
        "ten large": _ten_large(checkout, nothing, workshop, known),
    }


def _first(checkout: Path, nothing: Path, workshop: Path) -> dict[str, float]:
    """What reading all recordings adds to a first answer; the code is indexed already."""
    walls, cpu = [], []
    for number in range(_N_FIRST):
        with callsite.open(checkout, home=str(workshop / f"first {number}")) as engine:
            engine.context(QUESTIONS[0], recordings=[str(nothing)])
            began, used = time.perf_counter(), _cpu_seconds()
            engine.recordings()
            walls.append(time.perf_counter() - began)
            cpu.append(_cpu_seconds() - used)
    return {"wall": round(statistics.median(walls), 3), "cpu": round(statistics.median(cpu), 3)}


def _cpu_seconds() -> float:
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _choosing(checkout: Path, nothing: Path, home: Path) -> dict[str, float]:
    """What recordings add to an answer of an open engine, and to the first one of an engine that has just been opened.

    Medians of the differences between answers with and without them.
    """
    opened, warm = [], []
    for number in range(_N_WARM):
        question = QUESTIONS[number % len(QUESTIONS)]
        with callsite.open(checkout, home=str(home)) as engine:
            engine.context(question, recordings=[str(nothing)])
            without = _seconds(engine, question, [str(nothing)])
            opened.append(_seconds(engine, question, ()) - without)
            warm.append(_seconds(engine, question, ()) - _seconds(engine, question, [str(nothing)]))
    return {"opened": round(statistics.median(opened), 4), "warm": round(statistics.median(warm), 4)}


def _seconds(engine: callsite.Engine, question: str, recordings: Sequence[str]) -> float:
    began = time.perf_counter()
    engine.context(question, recordings=recordings)
    return time.perf_counter() - began


def _ten_large(
    checkout: Path, nothing: Path, workshop: Path, known: Sequence[callsite.KnownRecording]
) -> dict[str, float]:
    """One command with ten recordings of 1 to 2.6 MB: read for the first time, again, and without them."""
    large = _grown(Path(max(known, key=lambda one: _size(one.path)).path), workshop / "large")
    found: dict[str, list[dict[str, Any]]] = {"without": [], "first": [], "again": []}
    for number in range(_N_LARGE):
        home = workshop / f"large home {number}"
        _command(checkout, [nothing], home, workshop)  # indexes the code
        found["without"].append(_command(checkout, [nothing], home, workshop))
        found["first"].append(_command(checkout, large, home, workshop))
        found["again"].append(_command(checkout, large, home, workshop))
    wall = {name: statistics.median(one["wall"] for one in runs) for name, runs in found.items()}
    peak = {name: statistics.median(one["peak_kib"] for one in runs) for name, runs in found.items()}
    return {
        "mb": round(sum(map(os.path.getsize, large)) / 1e6, 1),
        "wall": round(wall["first"], 3),
        "wall again": round(wall["again"], 3),
        "wall without": round(wall["without"], 3),
        "more MiB": round((max(peak["first"], peak["again"]) - peak["without"]) / 1024, 1),
    }


def _size(path: str) -> int:
    return os.path.getsize(path) if os.path.exists(path) else 0


def _grown(recording: Path, folder: Path) -> list[Path]:
    """Ten recordings, each the same run many times over."""
    folder.mkdir()
    document = json.loads(recording.read_bytes())
    events = document["events"]
    per_event = recording.stat().st_size / len(events)
    step = 1 + max(event["id"] for event in events)
    places = []
    for number, size in enumerate(LARGE_BYTES):
        wanted = int(size / per_event)
        grown = [_again(events[n % len(events)], by=n // len(events) * step) for n in range(wanted)]
        name = {**document["metadata"], "name": f"a large run, number {number}"}
        places.append(folder / f"{number}.appmap.json")
        places[-1].write_text(json.dumps({**document, "metadata": name, "events": grown}), "utf-8")
    return places


def _again(event: dict[str, Any], *, by: int) -> dict[str, Any]:
    return {**event, **{key: event[key] + by for key in ("id", "parent_id") if key in event}}


def _command(checkout: Path, recordings: Sequence[Path], home: Path, workshop: Path) -> Sample:
    program = CallsiteProgram()
    command = program.context_command(QUESTIONS[0], checkout, recordings=recordings, budget=16_000)
    return metered(
        command,
        name=program.name,
        result=workshop / "result.json",
        environment={**os.environ, **program.environment(home)},
        folder=checkout,
        accepted=(0, 1),  # 1: nothing was found
    )
