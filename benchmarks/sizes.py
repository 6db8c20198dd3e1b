"""How much room does an index take beside the text that it covers? Asks the public API and the file system only."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import callsite
from benchmarks import data as sets
from benchmarks.processes import folder_size

Size = dict[str, int]


def measure(*, data: Path, home: Path, workshop: Path) -> dict[str, Size]:
    """The sizes of each of semble's repositories whose checkout is there, as a whole."""
    found = {}
    for repository in sets.semble_repositories(data, home):
        found[repository.name] = size_of(home / "semble" / repository.name, workshop / repository.name)
        print(f"{repository.name}: {share(found[repository.name]):.3f}", file=sys.stderr, flush=True)
    return found


def size_of(checkout: Path, home: Path) -> Size:
    """Files and bytes of text that a new index covers, and the bytes of all that then lies below its home."""
    with callsite.open(checkout, home=str(home)) as engine:
        engine.index()
        paths = engine.files()
    text = sum((checkout / os.fsdecode(path)).stat().st_size for path in paths)
    return {"files": len(paths), "text bytes": text, "index bytes": folder_size(home)}


def share(size: Mapping[str, int]) -> float:
    """The bytes of the index for each byte of text."""
    return size["index bytes"] / size["text bytes"]
