"""What is asked, where, and what is wanted? Reads the data folder and finds the checkouts; holds no data itself."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.engines.contract import Checkout

#: The repositories of the dev half that the peers' published figures are about; the others are newer in the set.
COMPARED = frozenset("alamofire axios axum chi circe click fmtlib gson httpx libuv monolog nvm plug requests".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class SembleRepository:
    """One repository of semble's benchmark with its questions."""

    name: str
    checkout: Checkout
    is_pinned: bool  #: the files are those that the answers were written for
    questions: tuple[dict[str, Any], ...]  #: query, category, relevant, secondary


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A bug report: where to look, and the record of the data folder with what is wanted."""

    checkout: Checkout
    record: dict[str, Any]

    @property
    def query(self) -> str:
        return str(self.record["query"])


def semble_repositories(data: Path, home: Path) -> Iterator[SembleRepository]:
    """Those of the set whose checkout lies in `home/semble`."""
    for record in json.loads((data / "semble" / "repos.json").read_text("utf-8")):
        folder = home / "semble" / record["name"]
        root = folder / (record.get("benchmark_root") or ".")
        if root.is_dir():
            asked = json.loads((data / "semble" / "annotations" / f"{record['name']}.json").read_text("utf-8"))
            yield SembleRepository(
                name=record["name"],
                checkout=Checkout(folder=root),
                is_pinned=git(folder, "rev-parse", "HEAD").strip() == record["revision"],
                questions=tuple(asked),
            )


def swebench_reports(data: Path, home: Path) -> list[Report]:
    """The tasks, each at the commit before its fix; clones lie in `home/swe`."""
    return [
        Report(
            checkout=Checkout(folder=home / "swe" / task["repo"].replace("/", "__"), commit=task["base_commit"]),
            record=task,
        )
        for task in _lines(data / "swebench-lite" / "dev.jsonl")
    ]


def bugloc_reports(data: Path, home: Path) -> list[Report]:
    """The bug reports; unpacked releases lie in `home/corpora`."""
    return [
        Report(checkout=Checkout(folder=home / "corpora" / bug["sdist"]["root"]), record=bug)
        for bug in _lines(data / "bugloc" / "dev.jsonl")
    ]


def export(checkout: Checkout, into: Path) -> Checkout:
    """The files of a commit in a folder of their own, for engines that can't read commits."""
    if not checkout.commit:
        return checkout
    into.mkdir(parents=True)
    archive = subprocess.Popen(
        ["git", "-C", str(checkout.folder), "archive", checkout.commit], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    subprocess.run(["tar", "-x", "-C", str(into)], stdin=archive.stdout, check=True)
    archive.communicate()
    return Checkout(folder=into)


def git(folder: Path, *arguments: str) -> str:
    """What a git command prints."""
    return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True).stdout


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
