"""Recordings are read once, known to be out of date, and forgotten when they are gone."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from pathlib import Path

import pytest

from callsite.evidence.appmap import kept as kept_entries
from callsite.indexing.recordings import Recordings
from callsite.text.question import understand
from callsite.text.words import Words

WORDS = Words()


def recorded(*paths, name="pays"):
    """A recording that went through a function of each path."""
    events = []
    for number, path in enumerate(paths, 1):
        call = {"id": number, "event": "call", "thread_id": 1, "defined_class": "shop.Cart", "method_id": "pay"}
        events.append({**call, "path": path, "lineno": 1, "static": True})
        events.append({"id": 100 + number, "event": "return", "thread_id": 1, "parent_id": number})
    return json.dumps({"version": "1.9", "metadata": {"name": name}, "events": events}).encode()


def keep(root: Path, name: str, data: bytes) -> Path:
    place = root / "tmp" / "appmap" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    return place


@pytest.fixture
def keeper(tmp_path):
    (tmp_path / "root" / "shop").mkdir(parents=True)
    for name in ("cart.py", "tax.py"):
        (tmp_path / "root" / "shop" / name).write_text("def pay(): ...\n")
    return Recordings(str(tmp_path / "root"), str(tmp_path / "kept"), WORDS)


@pytest.fixture
def root(tmp_path):
    return tmp_path / "root"


def states(keeper):
    return [one.state for one in keeper.listed(keeper.known())]


def test_a_gzipped_recording_is_known_like_a_plain_one(keeper, root):
    """S2: with the same name, functions and weights."""
    data = recorded("shop/cart.py")
    plain, packed = keep(root, "a.appmap.json", data), keep(root, "b.appmap.json.gz", gzip.compress(data))
    first, second = keeper.listed(keeper.known())
    assert (first.path, second.path) == (str(plain), str(packed))
    assert (first.name, first.n_functions) == (second.name, second.n_functions) == ("pays", 1)
    weighed = keeper.weigh(keeper.known(), understand("pays", WORDS))
    assert [(one.path, one.n_alike) for one in weighed.uses] == [(str(plain), 1)]


def test_each_file_is_looked_at_once(keeper, root, monkeypatch):
    """However many recordings went through it."""
    for number in range(20):
        keep(root, f"{number}.appmap.json", recorded("shop/cart.py", "shop/tax.py", name=str(number)))
    looked: list[str] = []
    real = os.stat

    def stat(path, **more):
        looked.append(str(path))
        return real(path, **more)

    monkeypatch.setattr(os, "stat", stat)
    assert states(keeper) == ["fresh"] * 20
    assert sorted(path for path in looked if path.endswith(".py")) == [
        str(root / "shop" / "cart.py"), str(root / "shop" / "tax.py"),
    ]  # fmt: skip


def test_only_recordings_of_what_was_changed_are_out_of_date(keeper, root):
    """S9: each by its own time; a file that is not there says nothing."""
    cart = keep(root, "cart.appmap.json", recorded("shop/cart.py", "shop/gone.py"))
    keep(root, "tax.appmap.json", recorded("shop/tax.py"))
    assert states(keeper) == ["fresh", "fresh"]
    long_after = cart.stat().st_mtime + 100
    os.utime(root / "shop" / "cart.py", (long_after, long_after))
    assert states(keeper) == ["out of date", "fresh"]
    os.utime(cart, (long_after + 1, long_after + 1))
    assert states(keeper) == ["fresh", "fresh"]


def test_entries_of_recordings_that_are_gone_are_forgotten(keeper, root, tmp_path, monkeypatch):
    """At most as many of them stay as there are others; looking at given ones forgets nothing."""
    monkeypatch.setattr(kept_entries, "_LEAST_KEPT", 0)
    for round_ in range(5):
        for number in range(3):
            keep(root, f"{number}.appmap.json", recorded("shop/cart.py", name=f"{round_} {number}" + "x" * round_))
        assert len(keeper.known().entries) == 3
        assert len(list((tmp_path / "kept").iterdir())) == min(6, 3 * (round_ + 1))
    keep(root, "elsewhere/only.appmap.json", recorded("shop/tax.py"))
    assert len(keeper.known([str(root / "tmp" / "appmap" / "elsewhere")]).entries) == 1
    assert len(list((tmp_path / "kept").iterdir())) == 7


def test_an_index_directory_that_is_named_counts_as_its_recording(keeper, root):
    """As the recording itself does."""
    folder = root / "tmp" / "appmap" / "a"
    place = keep(root, "a.appmap.json", recorded("shop/cart.py"))
    keep(root, "a/classMap.json", b"[]")
    for given in (place, folder):
        known = keeper.known([str(given)])
        assert (known.given, [file.path for file in known.files]) == ({0}, [str(place)])


def git(root, *arguments, at=0):
    """Run git in a folder, for commits of a fixed time; what it prints."""
    dates = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"@{at} +0000")
    names = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    done = subprocess.run(
        ["git", *names, *arguments], cwd=root, env={**os.environ, **dates}, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def checkout(root):
    """A repository whose only commit was made at 1,000 s, and written much later."""
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first", at=1_000)
    return root


def check_state(keeper, place, expected, *, recorded_at):
    os.utime(place, (recorded_at, recorded_at))
    assert states(keeper) == [expected]


def test_a_fresh_checkout_makes_no_recording_old(keeper, checkout):
    """Its files are younger, and what git holds is as it was; unless the commit itself came after the recording."""
    place = keep(checkout, "a.appmap.json", recorded("shop/cart.py"))
    check_state(keeper, place, "fresh", recorded_at=2_000)
    check_state(keeper, place, "out of date", recorded_at=500)
    (checkout / "shop" / "cart.py").write_text("def pay(): return 1\n")
    check_state(keeper, place, "out of date", recorded_at=2_000)


def test_the_recorded_commit_tells_what_has_changed(keeper, checkout):
    """Later commits count by what they change; another repository's commit says nothing."""
    first = git(checkout, "rev-parse", "HEAD")
    (checkout / "shop" / "tax.py").write_text("def pay(): return 1\n")
    git(checkout, "commit", "-qam", "second", at=3_000)
    data = json.loads(recorded("shop/cart.py"))
    for commit, expected in ((first, "fresh"), ("f" * 39, "out of date"), ("--output=x", "out of date")):
        data["metadata"]["git"] = {"commit": commit}
        place = keep(checkout, "a.appmap.json", json.dumps(data).encode())
        check_state(keeper, place, expected, recorded_at=2_000)
    data = json.loads(recorded("shop/tax.py"))
    data["metadata"]["git"] = {"commit": first}
    check_state(keeper, keep(checkout, "a.appmap.json", json.dumps(data).encode()), "out of date", recorded_at=2_000)


def test_a_file_that_git_does_not_hold_is_as_old_as_it_was_written(keeper, checkout):
    """Nothing else is known of it."""
    (checkout / "shop" / "new.py").write_text("def pay(): ...\n")
    place = keep(checkout, "a.appmap.json", recorded("shop/new.py"))
    check_state(keeper, place, "out of date", recorded_at=2_000)
