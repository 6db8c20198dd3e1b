"""Which engines take part? Callsite always; a peer when it is there, else a line says why not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from benchmarks.engines.appmap import AppMapProgram
from benchmarks.engines.callsite_engine import CallsiteProgram, CallsiteRanker
from benchmarks.engines.contract import Program, Ranker
from benchmarks.engines.ripgrep import RipgrepProgram, RipgrepRanker, find_ripgrep
from benchmarks.engines.semble_engine import SembleProgram, SembleRanker
from benchmarks.engines.tantivy_plain import TantivyRanker

_T = TypeVar("_T")
NAMES = ("callsite", "ripgrep", "semble", "tantivy", "appmap")


def rankers(wanted: Sequence[str], *, semble_python: str) -> list[Ranker]:
    """Engines for the measures of quality."""
    makers: dict[str, tuple[str, Callable[[], Ranker]]] = {
        "callsite": ("", CallsiteRanker),
        "ripgrep": ("" if find_ripgrep() else "rg is not installed", lambda: RipgrepRanker(find_ripgrep())),
        "semble": ("" if semble_python else "no --semble-python", lambda: SembleRanker(semble_python)),
        "tantivy": ("", TantivyRanker),
    }
    return _made(makers, wanted)


def programs(wanted: Sequence[str], *, semble_python: str, appmap: str, workshop: Path) -> list[Program]:
    """Engines for the measures of speed, callsite always; `workshop` holds what they need besides an index."""
    makers: dict[str, tuple[str, Callable[[], Program]]] = {
        "callsite": ("", CallsiteProgram),
        "ripgrep": ("" if find_ripgrep() else "rg is not installed", lambda: RipgrepProgram(find_ripgrep())),
        "semble": (
            "" if semble_python else "no --semble-python",
            lambda: SembleProgram(semble_python, workshop / "model"),
        ),
        "appmap": ("" if appmap else "no --appmap", lambda: AppMapProgram(appmap)),
    }
    return _made(makers, ["callsite", *wanted])


def _made(makers: dict[str, tuple[str, Callable[[], _T]]], wanted: Sequence[str]) -> list[_T]:
    made: list[_T] = []
    for name, (absent, make) in makers.items():
        if name not in wanted:
            continue
        if absent:
            print(f"{name}: left out, {absent}", file=sys.stderr)
        else:
            made.append(make())
    return made
