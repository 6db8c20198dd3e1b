"""How good is a ranking? The figures of the three benchmarks, from ranks alone.

The data folder holds the reference (`scoring.py`); every run compares its answers with this module's.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.engines.contract import Place

NOWHERE = 999  # the rank of what is not in the ranking at all


def is_same_path(one: str, other: str) -> bool:
    """Equal, or one is the end of the other at a border between folders."""
    first, second = (path.replace("\\", "/").split("/") for path in (one, other))
    shorter = min(len(first), len(second))
    return first[-shorter:] == second[-shorter:]


def discounted_gain(ranks: Sequence[int], *, n_targets: int, k: int = 10) -> float:
    """NDCG@k with gain 0 or 1: ranks from 1 at which targets were found, two at the same rank count once."""
    reached = {rank for rank in ranks if 1 <= rank <= k}
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(k, n_targets) + 1))
    return sum(1 / math.log2(rank + 1) for rank in reached) / ideal if ideal else 0.0


def semble_score(places: Sequence[Place], targets: Sequence[Any]) -> float:
    """NDCG@10 of one question; a target is a path, or a record with path and maybe first and last line."""
    found = [_rank_of(target, places[:10]) for target in targets]
    return discounted_gain(found, n_targets=len(targets))


def _rank_of(target: Any, places: Sequence[Place]) -> int:
    record = target if isinstance(target, dict) else {"path": target}
    for rank, place in enumerate(places, 1):
        apart = "start_line" in record and not _overlap(place, record["start_line"], record["end_line"])
        if is_same_path(place.path, record["path"]) and not apart:
            return rank
    return NOWHERE


def _overlap(place: Place, first_line: int, last_line: int) -> bool:
    return place.first_line <= last_line and first_line <= place.last_line


def last_file_rank(files: Sequence[str], wanted: Sequence[str]) -> int:
    """The rank among distinct files at which the last wanted one comes, NOWHERE if one is missing."""
    ranks = {path: rank for rank, path in enumerate(dict.fromkeys(files), 1)}
    return max(ranks.get(path, NOWHERE) for path in wanted)


def reference(data: Path) -> ModuleType:
    """The data folder's own `scoring.py`."""
    spec = importlib.util.spec_from_file_location("benchmark_reference_scoring", data / "scoring.py")
    assert spec is not None and spec.loader is not None, "a path that ends in .py always has a loader"
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
