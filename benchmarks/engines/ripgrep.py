"""ripgrep by keywords: files ranked by how many distinct keywords they hold, then by how often."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from benchmarks.engines.contract import Checkout, Place
from benchmarks.engines.keywords import keywords


def find_ripgrep() -> str:
    """The program, "" where it is not installed."""
    return shutil.which("rg") or ""


def _version(program: str) -> str:
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return told.split()[1]


def _command(program: str, question: str, folder: Path | str) -> list[str]:
    wanted = [argument for word in keywords(question) or ["."] for argument in ("-e", word)]
    how = ["--only-matching", "--with-filename", "--no-line-number", "--no-heading", "--null", "--color=never"]
    return [program, *how, "--ignore-case", "--fixed-strings", *wanted, "--", str(folder)]


class RipgrepRanker:
    """Whole files, one place each."""

    name = "ripgrep"
    reads_commits = False

    def __init__(self, program: str) -> None:
        self._program, self.version = program, _version(program)

    def rank(
        self, checkout: Checkout, questions: Sequence[str], *, n: int, budget: int | None = None
    ) -> list[list[Place]]:
        return [self._places(checkout.folder, question, n) for question in questions]

    def _places(self, folder: Path, question: str, n: int) -> list[Place]:
        run = subprocess.run(_command(self._program, question, "."), cwd=folder, capture_output=True, check=False)
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for line in run.stdout.decode("utf-8", "replace").splitlines():
            path, _, word = line.partition("\0")
            counts[path.removeprefix("./")][word.lower()] += 1
        ranked = sorted(counts, key=lambda path: (-len(counts[path]), -counts[path].total(), path))
        return [Place(path=path, first_line=1, last_line=_n_lines(folder / path)) for path in ranked[:n]]


def _n_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") + 1


class RipgrepProgram:
    """The same run as a process; it keeps no index, so nothing is ever warm or stale."""

    name = "ripgrep"

    def __init__(self, program: str) -> None:
        self._program, self.version = program, _version(program)

    def command(self, question: str, folder: Path) -> list[str]:
        return _command(self._program, question, folder)

    def environment(self, home: Path) -> dict[str, str]:
        return {}
