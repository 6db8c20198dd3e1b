"""How long does a question take in process, in a small, a middling and a large index?

One folder grows by whole checkouts until it holds the wanted number of chunks. Each question goes to every engine in
turn; what is measured is the call, with its check for changed files and without.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import callsite
from benchmarks import data as sets
from benchmarks.engines.contract import Checkout, PeerFailed
from benchmarks.engines.semble_engine import SembleRanker
from benchmarks.engines.tantivy_plain import PlainIndex
from benchmarks.growing import GrowingFolder
from benchmarks.processes import folder_size

N_SHORT, N_LONG, N_CHECKED, N_WARMING = 200, 60, 40, 10
MOST_CHUNKS_FOR_SEMBLE = 150_000  # beyond, it takes longer to index than all else here together


def measure(
    *, data: Path, home: Path, workshop: Path, sizes: Sequence[int], semble_python: str
) -> list[dict[str, Any]]:
    """One record for each size that the checkouts suffice for."""
    short, long = _questions(data, home)
    folder, index_home = workshop / "grown", workshop / "index"
    growing = GrowingFolder(folder, _checkouts(home))
    records = []
    for size in sizes:
        suffices = growing.grow(size)
        n_chunks = growing.n_chunks
        semble = SembleRanker(semble_python) if semble_python and n_chunks < MOST_CHUNKS_FOR_SEMBLE else None
        record = _measure_one(folder, index_home, short, long, semble)
        records.append({"wanted": size, "chunks": n_chunks, **record})
        print(f"{size}: {records[-1]}", file=sys.stderr, flush=True)
        if not suffices:
            break
    return records


def _questions(data: Path, home: Path) -> tuple[list[str], list[str]]:
    """Short ones of all repositories, and whole reports."""
    asked = [
        question["query"] for repository in sets.semble_repositories(data, home) for question in repository.questions
    ]
    reports = [task.query for task in sets.swebench_reports(data, home)]
    return _sample(asked, N_SHORT), _sample(reports, N_LONG)


def _sample(items: Sequence[str], n: int) -> list[str]:
    n = min(n, len(items))
    return [items[i * len(items) // n] for i in range(n)]


def _checkouts(home: Path) -> Iterator[Path]:
    for kind in ("semble", "corpora"):
        yield from sorted(path for path in (home / kind).iterdir() if path.is_dir() and not path.name.startswith("_"))


def _measure_one(
    folder: Path, home: Path, short: Sequence[str], long: Sequence[str], semble: SembleRanker | None
) -> dict[str, Any]:
    start = time.perf_counter()
    with callsite.open(folder, home=str(home)) as engine:
        freshness = engine.index()
        indexed = time.perf_counter() - start
        text = sum((folder / path).stat().st_size for path in engine.files())
        plain = PlainIndex(folder)
        asked: dict[str, Callable[[str], object]] = {
            "callsite": lambda question: engine.search(question, n=10, update=False),
            "tantivy": lambda question: plain.search(question, 10),
        }
        times = {kind: _times(asked, questions) for kind, questions in (("short", short), ("long", long))}
        checked = _times({"callsite": lambda question: engine.search(question, n=10)}, _sample(short, N_CHECKED))
    if semble is not None:
        for kind, found in _semble_times(semble, folder, {"short": short, "long": long}).items():
            times[kind]["semble"] = found
    return {
        "files": freshness.n_files,
        "text bytes": text,
        "index bytes": folder_size(home),
        "seconds to index what is new": round(indexed, 1),
        "milliseconds": {**times, "short, changes looked for": checked},
    }


def _semble_times(semble: SembleRanker, folder: Path, asked: dict[str, Sequence[str]]) -> dict[str, dict[str, float]]:
    """Quantiles by kind of question, all from one index; empty where semble can't read the folder."""
    warming = [question for questions in asked.values() for question in questions[:N_WARMING]]
    try:
        _, seconds = semble.timed(Checkout(folder=folder), [*warming, *chain.from_iterable(asked.values())], n=10)
    except PeerFailed as failure:
        print(failure, file=sys.stderr)
        return {}
    rest = iter(seconds[len(warming) :])
    return {kind: quantiles(list(islice(rest, len(questions)))) for kind, questions in asked.items()}


def _times(asked: dict[str, Callable[[str], object]], questions: Sequence[str]) -> dict[str, dict[str, float]]:
    for question in questions[:N_WARMING]:
        for ask in asked.values():
            ask(question)
    seconds: dict[str, list[float]] = {name: [] for name in asked}
    for number, question in enumerate(questions):
        names = list(asked) if number % 2 else list(reversed(asked))
        for name in names:
            start = time.perf_counter()
            asked[name](question)
            seconds[name].append(time.perf_counter() - start)
    return {name: quantiles(found) for name, found in seconds.items()}


def quantiles(seconds: Sequence[float]) -> dict[str, float]:
    """Median and 95th of 100, in milliseconds."""
    ordered = sorted(seconds)
    return {
        "n": len(ordered),
        "p50": round(1000 * statistics.median(ordered), 2),
        "p95": round(1000 * ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 2),
    }
