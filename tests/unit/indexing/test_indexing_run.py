"""What an indexing does and what it spares itself: bases, overlays, contents seen before, files known by their stat."""

from __future__ import annotations

import os
import shutil
import time

import pytest
from checkout import BINARY, Checkout
from shown import shown

import callsite
from callsite.indexing import intake

LATER = 3_600.0  # by then every stat of the files is old enough to be trusted


@pytest.fixture
def checkout(tmp_path):
    """Ten files in one commit of the default branch."""
    made = Checkout(tmp_path)
    for number in range(10):
        made.write(f"src/f{number}.py", f"alpha = {number}\n")
    made.commit()
    return made


@pytest.fixture
def prepared(monkeypatch):
    """The paths that are read and prepared from here on."""
    seen: list[str] = []
    real = intake.prepare_all

    def noting(jobs, words, **named):
        def noted():
            for job in jobs:
                seen.append(job.path)
                yield job

        return real(noted(), words, **named)

    monkeypatch.setattr(intake, "prepare_all", noting)
    return seen


def engine_of(checkout: Checkout, tree: int = 0, **named) -> callsite.Engine:
    engine = callsite.open(checkout.roots[tree], home=str(checkout.folder / "home"), **named)
    engine._index._clock = lambda: time.time() + LATER
    return engine


def index(checkout: Checkout, tree: int = 0, **named) -> callsite.Freshness:
    with engine_of(checkout, tree, **named) as engine:
        return engine.index()


def rows(checkout: Checkout, query: str) -> list[tuple[object, ...]]:
    with engine_of(checkout) as engine:
        return engine._index._open()[0].rows(query)


def test_a_second_indexing_reads_nothing(checkout, prepared):
    """Nor does it write."""
    index(checkout)
    assert len(prepared) == 10
    before = rows(checkout, "SELECT * FROM views")
    index(checkout)
    assert len(prepared) == 10
    assert rows(checkout, "SELECT * FROM views") == before


def test_a_switch_of_branch_reads_only_what_is_new(checkout, prepared):
    """And the way back nothing."""
    index(checkout)
    checkout.switch("one")
    checkout.write("src/f1.py", "beta = 1\n")
    checkout.write("copy.py", "alpha = 2\n")
    checkout.commit()
    prepared.clear()
    freshness = index(checkout)
    assert (prepared, freshness.branch, freshness.n_changed) == (["src/f1.py"], "one", 0)
    checkout.switch("main")
    assert index(checkout).branch == "main"
    assert prepared == ["src/f1.py"]


def test_a_linked_work_tree_costs_its_difference(checkout, prepared):
    """It shares the base; the base stays where the default branch was."""
    index(checkout)
    (base,) = rows(checkout, "SELECT value FROM meta WHERE key = 'base'")
    checkout.link("two")
    checkout.write("src/new.py", "gamma = 1\n", tree=1)
    checkout.commit(tree=1)
    prepared.clear()
    index(checkout, tree=1)
    assert prepared == ["src/new.py"]
    assert rows(checkout, "SELECT value FROM meta WHERE key = 'base'") == [base]
    assert [path for (path,) in rows(checkout, "SELECT path FROM overlays")] == [b"src/new.py"]


def test_the_base_follows_the_default_branch(checkout):
    """Then the overlay of whoever is on it stays empty, and others go on showing what they did."""
    index(checkout)
    checkout.link("two")
    index(checkout, tree=1)
    checkout.write("src/f1.py", "beta = 1\n")
    checkout.commit()
    index(checkout)
    assert shown(checkout.roots[0], checkout.folder / "home").texts == checkout.expected(0)
    assert shown(checkout.roots[1], checkout.folder / "home").texts == checkout.expected(1)
    assert [path for (path,) in rows(checkout, "SELECT path FROM overlays")] == [b"src/f1.py"]


def test_a_base_that_git_has_dropped_is_replaced(checkout):
    """History was rewritten and cleaned."""
    index(checkout)
    checkout.write("src/f1.py", "beta = 1\n")
    checkout.git("add", "-A")
    checkout.forget()
    index(checkout)
    assert shown(checkout.roots[0], checkout.folder / "home").texts == checkout.expected()


def test_an_untouched_dirty_file_is_not_read_again(checkout, prepared):
    """Its stat tells; a touched one is read and recognised, so nothing is chunked again."""
    checkout.write("dirty.py", "beta = 1\n")
    index(checkout)
    checkout.write("src/f1.py", "beta = 2\n")
    prepared.clear()
    index(checkout)
    assert prepared == ["src/f1.py"]
    os.utime(checkout.roots[0] / "dirty.py", (1, 1))
    index(checkout)
    assert prepared == ["src/f1.py"]


def test_a_file_that_changes_within_its_clock_is_read_again(checkout):
    """Same size, same time, another text: what was changed just now is never trusted."""
    place = checkout.roots[0] / "dirty.py"
    with callsite.open(checkout.roots[0], home=str(checkout.folder / "home")) as engine:
        for word in ("one", "two", "six"):
            place.write_text(f"{word} = 1\n")
            os.utime(place, ns=(time.time_ns(), time.time_ns() // 10**9 * 10**9))
            assert [hit.path for hit in engine.search(word).hits] == ["dirty.py"]


def test_rules_that_change_decide_again(checkout, prepared):
    """A file that is ignored or forced by other rules is not taken for known."""
    checkout.write("gen.py", "# Code generated by a tool. DO NOT EDIT.\ndelta = 1\n")
    assert index(checkout).n_skipped == 1
    checkout.ignore("!gen.py\n/src/f1.py\n")
    freshness = index(checkout)
    with engine_of(checkout) as engine:
        assert "gen.py" in engine.files()
        assert [(skip.path, skip.reason) for skip in engine.skipped()] == [("src/f1.py", "ignored by .callsiteignore")]
    assert freshness.n_skipped == 1


def test_what_is_skipped_has_its_reason(checkout):
    """By its size, its content, its kind."""
    checkout.write("large.py", "x = 1\n" * 300_000)
    checkout.write("binary.py", BINARY)
    checkout.write("empty.py", "")
    os.symlink("src/f1.py", checkout.roots[0] / "link.py")
    for committed in (False, True):
        if committed:
            checkout.commit()
        index(checkout)
        with engine_of(checkout) as engine:
            reasons = {skip.path: skip.reason for skip in engine.skipped()}
        assert reasons.keys() == {"large.py", "binary.py", "empty.py", "link.py"}
        assert all(reasons.values())


def test_files_that_end_while_they_are_taken_in(checkout, monkeypatch):
    """Gone or unreadable between git's answer and the reading: a note, no failure."""
    checkout.write("dirty.py", "beta = 1\n")
    real = intake.git.read_dirty

    def vanishing(source, path, size):
        checkout.remove("dirty.py")
        return real(source, path, size)

    monkeypatch.setattr(intake.git, "read_dirty", vanishing)
    freshness = index(checkout)
    assert any("not read: dirty.py" in note for note in freshness.notes)
    monkeypatch.undo()
    assert index(checkout).notes == ()
    assert shown(checkout.roots[0], checkout.folder / "home").texts == checkout.expected()


def test_the_base_moves_under_an_indexing(checkout, monkeypatch):
    """Another process is quicker: the plan is made again, and nothing is shown that was planned on the old base."""
    index(checkout)
    checkout.write("src/f1.py", "beta = 1\n")
    checkout.commit()
    checkout.link("two")
    checkout.write("dirty.py", "gamma = 1\n", tree=1)
    real, done = intake.Intake.take, []

    def interrupted(self, wants, *, unchanged):
        if not done:
            done.append(True)
            index(checkout)
        return real(self, wants, unchanged=unchanged)

    monkeypatch.setattr(intake.Intake, "take", interrupted)
    index(checkout, tree=1)
    assert done
    for tree in range(2):
        assert shown(checkout.roots[tree], checkout.folder / "home").texts == checkout.expected(tree)


def test_progress_is_told_in_steps(checkout):
    """What is done and how many there are; nothing when nothing is read."""
    told: list[tuple[str, int, int]] = []
    with engine_of(checkout) as engine:
        engine.index(progress=lambda *step: told.append(step))
        engine.index(progress=lambda *step: told.append(step))
    assert told == [("Indexing", 10, 10)]


def test_a_commit_is_shown_beside_the_work_tree(checkout, prepared):
    """It is a view of its own, and costs nothing where it is the base."""
    index(checkout)
    checkout.write("src/f1.py", "beta = 1\n")
    prepared.clear()
    with callsite.open(checkout.roots[0], home=str(checkout.folder / "home"), commit="HEAD") as engine:
        assert "src/f1.py" in {hit.path for hit in engine.search("alpha", n=100).hits}
    assert prepared == []


def test_a_plain_folder_is_indexed_too(checkout, prepared):
    """Without git every file is told by its stat."""
    shutil.rmtree(checkout.roots[0] / ".git")
    index(checkout)
    checkout.write("src/f1.py", "beta = 1\n")
    prepared.clear()
    index(checkout)
    assert prepared == ["src/f1.py"]
    assert shown(checkout.roots[0], checkout.folder / "home").texts == checkout.expected()


CHANGES = {
    "nothing": (lambda c: None, 0),
    "touched": (lambda c: os.utime(c.roots[0] / "src/f1.py", (1, 1)), 0),
    "edited": (lambda c: c.write("src/f1.py", "beta = 1\n"), 1),
    "edited and committed": (lambda c: (c.write("src/f1.py", "beta = 1\n"), c.commit()), 1),
    "committed as it was": (lambda c: (c.git("add", "-A"), c.commit()), 0),
    "added": (lambda c: c.write("new.py", "beta = 1\n"), 1),
    "removed": (lambda c: c.remove("src/f1.py"), 1),
    "renamed": (lambda c: c.rename("src/f1.py", "new.py"), 2),
    "dirty again": (lambda c: c.write("dirty.py", "beta = 2\n"), 1),
    "dirty as before": (lambda c: c.write("dirty.py", "beta = 0\n"), 0),
    "no longer dirty": (lambda c: c.remove("dirty.py"), 1),
    "ignored": (lambda c: c.ignore("/src/\n"), 11),
    "another branch": (lambda c: (c.switch("one"), c.remove("src/f2.py"), c.commit()), 1),
    "orphaned": (lambda c: (c.orphan(), c.remove("src/f2.py")), 1),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_changed_since_is_counted(checkout, what):
    """By `status`, exactly: the files whose text or reason is another."""
    checkout.write("dirty.py", "beta = 0\n")
    with engine_of(checkout) as engine:
        engine.index()
        change, expected = CHANGES[what]
        change(checkout)
        assert engine.status().n_behind == expected
        assert engine.index().n_behind == 0
        assert engine.status().n_behind == 0


def test_status_of_what_was_never_indexed(checkout):
    """One line that says what to do."""
    with engine_of(checkout) as engine, pytest.raises(callsite.IndexUnusable, match="callsite index"):
        engine.status()


def test_an_engine_sees_what_changed_since_it_was_opened(checkout):
    """However little time lies between."""
    index(checkout)
    with engine_of(checkout) as engine:
        checkout.write("new.py", "omega = 1\n")
        assert [hit.path for hit in engine.search("omega").hits] == ["new.py"]
