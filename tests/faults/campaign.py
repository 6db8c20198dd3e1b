"""Long campaigns against an index: random changes, and processes killed at random moments; the suite runs a small part.

Each raises AssertionError at the first index that shows anything but what lies on the disk.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from checkout import Checkout, change
from shown import Shown, shown

import callsite

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src"
Report = Callable[[int, int], None]  #: how many are done, how many there are


class Campaign(Protocol):
    """One of the functions below."""

    def __call__(self, folder: Path, *, n: int, seed: int, report: Report | None = None) -> Result: ...


@dataclass
class Result:
    """What a campaign went through."""

    n_done: int = 0
    n_compared: int = 0  #: with a fresh index
    n_killed: int = 0  #: before the child was done
    notes: dict[str, int] = field(default_factory=dict)  #: what the index said about repairs


def mutate(folder: Path, *, n: int, seed: int, fresh_every: int = 25, report: Report | None = None) -> Result:
    """Change a repository n times; after each change every work tree's index shows the disk."""
    chance = random.Random(seed)
    checkout, result, log = Checkout(folder), Result(), []
    for step in range(n):
        log.append(change(checkout, chance))
        for tree in range(len(checkout.roots)):
            found = _compare(checkout, folder / "home", tree, log)
            if step % fresh_every == 0:
                fresh = shown(checkout.roots[tree], folder / "fresh")
                assert found == fresh, f"not as a fresh index: {_tail(log)}"
                shutil.rmtree(folder / "fresh")
                result.n_compared += 1
        result.n_done += 1
        if report:
            report(result.n_done, n)
    return result


def kill(folder: Path, *, n: int, seed: int, report: Report | None = None) -> Result:
    """Kill a process that indexes n times, at random moments; then the index opens and shows the disk."""
    chance = random.Random(seed)
    checkout, result, log = Checkout(folder), Result(), []
    for number in range(60):
        checkout.write(f"many/file{number}.py", f"def many_{number}():\n    return {number}\n" * 20)
    longest = 0.3
    while result.n_done < n:
        log += [change(checkout, chance) for _ in range(chance.randrange(1, 6))]
        if chance.random() < 0.3:
            at = chance.randrange(1000)
            for number in range(chance.randrange(20, 60)):
                checkout.write(f"many/file{number}.py", f"def many_{number}_{at}():\n    return {at}\n" * 20)
        home, tree = folder / "home", chance.randrange(len(checkout.roots))
        seconds, was_killed = _killed_after(checkout.roots[tree], home, chance.random() * longest)
        longest = longest if was_killed else max(0.05, min(longest, seconds * 1.2))
        if not was_killed or chance.random() < 0.05:
            longest *= 1.0 if was_killed else 0.9
        longest = min(0.5, longest * 1.05)
        log.append(f"{'killed' if was_killed else 'ended'} after {seconds:.3f} s in {tree}")
        if chance.random() < 0.6:  # sometimes the next one is killed in the middle of what this one left
            _note(result, checkout.roots[tree], home)
            for one in range(len(checkout.roots)):
                _compare(checkout, home, one, log)
        result.n_done += 1
        result.n_killed += was_killed
        if report:
            report(result.n_done, n)
    return result


def _note(result: Result, root: Path, home: Path) -> None:
    with callsite.open(root, home=str(home)) as engine:
        for note in engine.search("alpha").freshness.notes:
            result.notes[note] = result.notes.get(note, 0) + 1


def _compare(checkout: Checkout, home: Path, tree: int, log: list[str]) -> Shown:
    found, expected = shown(checkout.roots[tree], home), checkout.expected(tree)
    assert found.texts.keys() == expected.keys(), (
        f"missing {expected.keys() - found.texts.keys()} of which skipped {found.skipped},"
        f" stale {found.texts.keys() - expected.keys()}: {_tail(log)}"
    )
    wrong = [path for path in expected if found.texts[path] != expected[path]]
    assert not wrong, f"not the text on the disk: {wrong}: {_tail(log)}"
    return found


def _tail(log: list[str]) -> str:
    return "; ".join(log[-12:])


def _killed_after(root: Path, home: Path, seconds: float) -> tuple[float, bool]:
    """Let a process index until it is killed; how long it had, and whether it was."""
    child = start_child(root, home)
    assert child.stdout is not None
    child.stdout.readline()
    begun = time.monotonic()
    try:
        child.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGKILL)
    code = child.wait()
    child.stdout.close()
    assert code in (0, -signal.SIGKILL), f"the indexing process failed with {code}"
    return time.monotonic() - begun, code != 0


def start_child(root: Path, home: Path, *arguments: str) -> subprocess.Popen[str]:
    """A process that says "ready" and then brings an index up to date."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), str(HERE)])}
    line = [sys.executable, str(HERE / "child.py"), str(root), str(home), *arguments]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=None, text=True, env=environment)
