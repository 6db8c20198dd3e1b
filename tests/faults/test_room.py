"""No room, no permission, no such place: one clear line, and nothing is broken afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import campaign
import pytest
from checkout import TEXTS, Checkout
from shown import shown

import callsite

#: Runs a search with a limit on the size of any file that is written, or as somebody else.
PROGRAM = """
import os, resource, sys
import callsite
root, home, limit, user = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
from callsite import engine
from callsite.code import analyse
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
if user:
    os.setuid(user)
try:
    with callsite.open(root, home=home, workers=1) as opened:
        print("found", len(opened.search("alpha").hits))
except callsite.IndexUnusable as error:
    print("unusable", error)
"""


@pytest.fixture
def checkout(tmp_path):
    made = Checkout(tmp_path)
    for number in range(30):
        made.write(f"src/file{number}.py", f"{TEXTS[number % len(TEXTS)]}\nalpha = {number}\n" + TEXTS[-1])
    made.commit()
    return made


def said(checkout: Checkout, home: Path, *, limit: int = 0, user: int = 0) -> str:
    """What the program prints; a traceback or a panic on its error stream is a failure."""
    environment = {**os.environ, "PYTHONPATH": str(campaign.SOURCE), "HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    line = [sys.executable, "-c", PROGRAM, str(checkout.roots[0]), str(home), str(limit), str(user)]
    done = subprocess.run(line, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1
    return done.stdout


@pytest.mark.parametrize("limit", [1, 1_000, 4_096, 10_000, 40_000, 60_000, 100_000, 150_000])
def test_a_full_disk(checkout, limit):
    """Wherever room runs out, one line says so; with room again the index is right."""
    answer = said(checkout, checkout.folder / "home", limit=limit)
    assert answer.startswith("unusable") or limit >= 60_000
    assert "free some room" in answer or "CALLSITE_HOME" in answer or answer.startswith("found")
    found = shown(checkout.roots[0], checkout.folder / "home")
    assert found.texts == checkout.expected()
    assert found == shown(checkout.roots[0], checkout.folder / "fresh")


@pytest.mark.parametrize("limit", [1, 4_096, 30_000])
def test_a_disk_that_is_full_by_now(checkout, limit):
    """An update that finds no room leaves the last complete state to answer from with `update=False`."""
    before = shown(checkout.roots[0], checkout.folder / "home")
    for number in range(30):
        checkout.write(f"src/file{number}.py", f"alpha = {number + 1}\n" + TEXTS[-1])
    assert said(checkout, checkout.folder / "home", limit=limit).startswith("unusable")
    with callsite.open(checkout.roots[0], home=str(checkout.folder / "home")) as engine:
        assert engine.search("alpha", n=100, update=False).hits
    after = shown(checkout.roots[0], checkout.folder / "home")
    assert after.texts == checkout.expected() != before.texts


@pytest.mark.parametrize("place", ["/dev/null/below", "/proc/nowhere", "file/below"])
def test_a_home_that_cannot_be(checkout, place):
    """The line names the folder and the setting that chooses another."""
    checkout.write("../file", "no folder")
    home = checkout.folder / place
    assert "set CALLSITE_HOME to another folder" in said(checkout, home)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can become somebody else")
def test_a_home_of_somebody_else(checkout, tmp_path):
    """A home that may be read but not written: a clear line; the index stays as it is."""
    nobody = 65534
    for place in (tmp_path, *tmp_path.parents):
        if place.stat().st_uid == os.getuid() and len(place.parts) > 2:
            place.chmod(0o755)
    shown(checkout.roots[0], tmp_path / "home")
    assert said(checkout, tmp_path / "home", user=nobody).startswith("unusable")
    assert said(checkout, tmp_path / "other", user=nobody).startswith("unusable")
    assert shown(checkout.roots[0], tmp_path / "home").texts
