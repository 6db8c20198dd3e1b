"""What was measured when? One JSON file for each run; nothing is ever changed in one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import machine

FOLDER = Path(__file__).with_name("runs")


class Run:
    """A run that is going on: it notes the load when it begins and when it ends."""

    def __init__(self, measure: str) -> None:
        self._measure, self._load = measure, machine.load()
        self._begun = datetime.now(UTC)

    def save(self, results: dict[str, Any], *, engines: dict[str, str], settings: dict[str, Any], folder: Path) -> Path:
        """Write the file; its name says when and what."""
        record = {
            "measure": self._measure,
            "begun": self._begun.isoformat(timespec="seconds"),
            "seconds": round((datetime.now(UTC) - self._begun).total_seconds()),
            "load": {"before": self._load, "after": machine.load()},
            "machine": machine.facts(),
            "engines": engines,
            "settings": settings,
            "results": results,
        }
        path = folder / f"{self._begun:%Y-%m-%dT%H%M%S}-{self._measure.replace(' ', '-')}.json"
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
        return path


def newest(folder: Path = FOLDER) -> dict[str, dict[str, Any]]:
    """The latest whole run of each measure; runs of a part (`--only`) don't count.

    How good an engine is does not depend on the hour: one that the latest run of quality leaves out keeps its figures
    of an earlier one. Times are comparable within a run only.
    """
    found: dict[str, dict[str, Any]] = {}
    for record in _all(folder):
        if not record["settings"].get("only"):
            before = found.get(record["measure"])
            keeps = before is not None and record["measure"].startswith("quality ")
            found[record["measure"]] = _completed(record, before) if before is not None and keeps else record
    return found


def _completed(record: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    return {**record, **{part: record[part] | _left_out(record[part], before[part]) for part in ("engines", "results")}}


def _left_out(now: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in before.items() if name not in now}


def _all(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.json")):
        yield json.loads(path.read_text("utf-8"))
