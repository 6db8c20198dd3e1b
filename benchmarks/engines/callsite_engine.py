"""Callsite as its users have it: the public API in process, the installed command as a process."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import callsite
from benchmarks.engines.contract import Checkout, Place


class CallsiteRanker:
    """Answers of `callsite.open(…).search(…)`, from an index that knows nothing but the checkout asked about."""

    name = "callsite"
    version = callsite.__version__
    reads_commits = True

    def rank(
        self, checkout: Checkout, questions: Sequence[str], *, n: int, budget: int | None = None
    ) -> list[list[Place]]:
        with (
            tempfile.TemporaryDirectory(prefix="callsite-bench-") as home,
            callsite.open(checkout.folder, commit=checkout.commit, home=home) as engine,
        ):
            return [_places(engine.search(question, n=n, budget=budget)) for question in questions]


def _places(answer: callsite.Answer) -> list[Place]:
    return [Place(path=hit.path, first_line=hit.first_line, last_line=hit.last_line) for hit in answer.hits]


class CallsiteProgram:
    """`callsite search`: the command beside this Python, or the module where none is installed."""

    name = "callsite"
    version = callsite.__version__

    def __init__(self) -> None:
        beside = shutil.which("callsite", path=str(Path(sys.executable).parent))
        self._start = [beside] if beside else [sys.executable, "-m", "callsite"]

    def command(self, question: str, folder: Path) -> list[str]:
        return [*self._start, "search", question, "--in", str(folder)]

    def context_command(self, question: str, folder: Path, *, recordings: Sequence[Path], budget: int) -> list[str]:
        given = [part for path in recordings for part in ("--recordings", str(path))]
        return [*self._start, "context", question, "--in", str(folder), *given, "--budget", str(budget)]

    def environment(self, home: Path) -> dict[str, str]:
        return {"CALLSITE_HOME": str(home)}
