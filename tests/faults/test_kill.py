"""A process that is killed anywhere while it indexes leaves an index that opens and becomes right again."""

from __future__ import annotations

from pathlib import Path

import campaign
import pytest
from checkout import TEXTS, Checkout
from shown import shown

import callsite


def prepared(folder: Path) -> Checkout:
    """A repository with two commits and a dirty file, indexed at the first one."""
    checkout = Checkout(folder)
    for number, text in enumerate(TEXTS):
        checkout.write(f"src/file{number}.py", text)
    checkout.commit()
    with callsite.open(checkout.roots[0], home=str(folder / "home")) as engine:
        engine.index()
    checkout.write("src/file2.py", TEXTS[3] + "alpha\n")
    checkout.remove("src/file4.py")
    checkout.write("new/name.py", TEXTS[10])
    checkout.commit()
    checkout.write("dirty.md", TEXTS[4])
    return checkout


def check_whole(checkout: Checkout, home: Path) -> None:
    """The index opens, shows the disk, and equals one that was made from nothing."""
    found = shown(checkout.roots[0], home)
    expected = checkout.expected()
    assert found.texts == expected
    assert found == shown(checkout.roots[0], checkout.folder / "fresh")


def kill_at_every_step(folder: Path, checkout: Checkout, home: Path, *, first: int = 1, stride: int = 1) -> int:
    """Kill one child after the other, each a step later and on top of what the one before left; how many died."""
    n_killed = 0
    for step in range(first, 400, stride):
        child = campaign.start_child(checkout.roots[0], home, str(step))
        child.communicate()
        if child.returncode == 0:
            break
        assert child.returncode == 9
        n_killed += 1
    return n_killed


@pytest.mark.parametrize("step", range(1, 40, 3))
def test_a_first_indexing_killed_at_any_step(tmp_path, step):
    """Between any two changes of a file: afterwards the index is whole."""
    checkout = Checkout(tmp_path)
    for number, text in enumerate(TEXTS):
        checkout.write(f"src/file{number}.py", text)
    checkout.commit()
    campaign.start_child(checkout.roots[0], tmp_path / "home", str(step)).communicate()
    check_whole(checkout, tmp_path / "home")


@pytest.mark.parametrize("step", range(1, 40, 3))
def test_an_update_killed_at_any_step(tmp_path, step):
    """A new commit and a dirty file are on their way in."""
    checkout = prepared(tmp_path)
    campaign.start_child(checkout.roots[0], tmp_path / "home", str(step)).communicate()
    check_whole(checkout, tmp_path / "home")


def test_killed_again_and_again_on_top_of_each_other(tmp_path):
    """Each process finds what the one before it left: recovery is killed too, at every step."""
    checkout = prepared(tmp_path)
    assert kill_at_every_step(tmp_path, checkout, tmp_path / "home", stride=2) > 5
    check_whole(checkout, tmp_path / "home")


@pytest.mark.parametrize("part", ["lexical", "lexical/chunks", "catalogue.sqlite"])
def test_killed_while_a_lost_part_is_made_again(tmp_path, part):
    """The part is lost once more in the middle of its repair."""
    import shutil

    checkout = prepared(tmp_path)
    place = next((tmp_path / "home").iterdir()) / part
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    assert kill_at_every_step(tmp_path, checkout, tmp_path / "home", stride=5) > 1
    check_whole(checkout, tmp_path / "home")


def test_a_sample_of_the_campaign_of_kills(tmp_path):
    """The same code as scripts/stress, seeded."""
    assert campaign.kill(tmp_path, n=6, seed=7).n_done == 6


def test_a_sample_of_the_campaign_of_changes(tmp_path):
    """The same code as scripts/stress, seeded."""
    assert campaign.mutate(tmp_path, n=40, seed=8).n_done == 40
