"""semble without vectors: its BM25 and its ranking rules, asked through the Python that it is installed for.

Its embedding model is fetched from the network, so it gets one that says nothing (eight ones for each word) and
`alpha=0`, its own switch for "words only". As a command it has no such switch: only its times count there, and they are
a little better than with the real model.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.engines.contract import Checkout, PeerFailed, Place

INSIDE = Path(__file__).with_name("semble_inside.py")


def run_inside(python: str, request: dict[str, Any], home: Path) -> dict[str, Any]:
    """What the script beside this module answers under semble's own Python."""
    environment = os.environ | {"SEMBLE_CACHE_LOCATION": str(home), "HF_HUB_OFFLINE": "1"}
    environment.pop("PYTHONPATH", None)
    run = subprocess.run(
        [python, str(INSIDE)],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    if run.returncode:
        raise PeerFailed(f"semble: {run.stderr.strip().splitlines()[-1:]}")
    told: dict[str, Any] = json.loads(run.stdout)
    return told


def version_of(python: str) -> str:
    """The version of semble under a Python; raises PeerFailed where it is not installed."""
    with tempfile.TemporaryDirectory(prefix="callsite-bench-") as home:
        return str(run_inside(python, {"do": "version"}, Path(home))["version"])


class SembleRanker:
    """Chunks as `SembleIndex.search(alpha=0)` ranks them."""

    name = "semble"
    reads_commits = False

    def __init__(self, python: str) -> None:
        self._python, self.version = python, version_of(python)

    def rank(
        self, checkout: Checkout, questions: Sequence[str], *, n: int, budget: int | None = None
    ) -> list[list[Place]]:
        return self.timed(checkout, questions, n=n)[0]

    def timed(self, checkout: Checkout, questions: Sequence[str], *, n: int) -> tuple[list[list[Place]], list[float]]:
        """Places, and the seconds that each question took inside."""
        request = {"do": "rank", "folder": str(checkout.folder), "questions": list(questions), "n": n}
        with tempfile.TemporaryDirectory(prefix="callsite-bench-") as home:
            told = run_inside(self._python, {**request, "model": str(Path(home) / "model")}, Path(home))
        places = [
            [Place(path=path, first_line=first, last_line=last) for path, first, last in answer]
            for answer in told["answers"]
        ]
        return places, told["seconds"]


class SembleProgram:
    """`semble search` with the silent model."""

    name = "semble"

    def __init__(self, python: str, model: Path) -> None:
        self._python, self._model, self.version = python, model, version_of(python)
        run_inside(python, {"do": "model", "model": str(model)}, model.parent)

    def command(self, question: str, folder: Path) -> list[str]:
        return [str(Path(self._python).parent / "semble"), "search", question, str(folder), "-k", "10"]

    def environment(self, home: Path) -> dict[str, str]:
        return {
            "SEMBLE_CACHE_LOCATION": str(home),
            "SEMBLE_MODEL_NAME": str(self._model),
            "HF_HUB_OFFLINE": "1",
            "PYTHONPATH": "",
        }
