"""A process that brings an embedded store to a commit is killed again and again; the store has to catch up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

from campaign import Report, Result

from callsite import git
from callsite.migrations import MIGRATIONS, run
from callsite.query import Query
from callsite.stores import Store
from callsite.stores.embedded import EmbeddedStore
from callsite.stores.memory import MemoryStore
from callsite.syncing import Place, sync

_CHILD = """
import sys
sys.path[:0] = sys.argv[3:]
from store_campaign import bring
from callsite.stores.embedded import EmbeddedStore
store = EmbeddedStore(sys.argv[1])
print("ready", flush=True)
bring(store, sys.argv[2])
print("done", flush=True)
"""
_PLACE = Place(project_id=1)
_N_FILES = 30
_RUNS_PER_KILL = 4  # commits between two comparisons with a fresh store


def bring(store: Store, root: str) -> None:
    """The store to what is committed."""
    sync(git.discover(root), store, _PLACE, max_file_bytes=100_000)


def kill_sync(folder: Path, *, n: int, seed: int, report: Report | None = None) -> Result:
    """Kill `n` runs at random moments; regularly the store is brought up to date and compared with a fresh one."""
    random = Random(seed)
    root, place = folder / "checkout", folder / "store"
    root.mkdir()
    _git(root, "init", "-q")
    store = EmbeddedStore(place)
    run(store, MIGRATIONS)
    n_killed = n_compared = 0
    longest = 0.05
    for done in range(n):
        _change(root, random, done)
        was_killed, took = _run_and_kill(place, root, random.random() * longest)
        n_killed += was_killed
        longest = longest * 0.9 + took * 0.15 if not was_killed else min(longest * 1.02, 2.0)
        if done % _RUNS_PER_KILL == _RUNS_PER_KILL - 1 or done == n - 1:
            _require_as_fresh(store, root)
            n_compared += 1
        if report is not None:
            report(done + 1, n)
    store.close()
    return Result(n_done=n, n_killed=n_killed, n_compared=n_compared)


def _run_and_kill(place: Path, root: Path, delay: float) -> tuple[bool, float]:
    """Whether it was killed before its end, and how long it ran."""
    paths = [str(Path(__file__).parent), *filter(None, sys.path)]
    command = [sys.executable, "-c", _CHILD, str(place), str(root), *paths]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        begun = time.monotonic()
        time.sleep(delay)
        os.kill(child.pid, signal.SIGKILL)
        rest = child.stdout.read()
        return "done" not in rest, time.monotonic() - begun


def _change(root: Path, random: Random, step: int) -> None:
    """Some files written, removed or renamed, or the last commit taken back; committed."""
    for _ in range(random.randrange(1, 6)):
        file = root / f"f{random.randrange(_N_FILES)}.py"
        roll = random.random()
        if roll < 0.15 and file.exists():
            file.unlink()
        elif roll < 0.25 and file.exists():
            file.rename(root / f"f{random.randrange(_N_FILES)}.py")
        else:
            names = random.sample(["alpha", "beta", "gamma", "delta"], k=random.randrange(1, 4))
            file.write_text("".join(f"def {name}():\n    return {step % 7}\n\n\n" * 40 for name in names))
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "--allow-empty", "-m", "change")
    if random.random() < 0.1 and step > 2:
        _git(root, "reset", "-q", "--hard", "HEAD~1")


def _require_as_fresh(store: Store, root: Path) -> None:
    bring(store, str(root))
    fresh = MemoryStore()
    run(fresh, MIGRATIONS)
    bring(fresh, str(root))
    assert _held(store) == _held(fresh), "the store differs from a fresh one"
    for word in ("alpha", "beta", "gamma", "delta"):
        said = Query.match(word)
        assert store.count(_PLACE.collection, said) == fresh.count(_PLACE.collection, said), f"words are lost: {word}"


def _held(store: Store) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    after = None
    while True:
        page = store.scan(_PLACE.collection, Query.all(), after=after)
        found |= {one.key.id: dict(one.fields) for one in page.documents}
        if (after := page.after) is None:
            return found


def _git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@t", "-c", "core.autocrlf=false", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)
