"""What a work tree shows, against a plain model: after any sequence of edits and git commands."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from git_repositories import Repository, visible
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from callsite.git import blob_id, diff, discover, state, tree

#: Few names, so that operations meet; some are directories of others, some are hard to quote.
PATHS = ("a", "a/b", "d/b", "d/e\nf", os.fsdecode(b"\xff/ x"), "x.log")
TEXTS = (b"", b"one\n", b"two\n", b"one\r\n", b"\0\xff")


class WorkTree(RuleBasedStateMachine):
    """The model is the disk itself: every regular file on it is visible, unless git ignores and does not track it."""

    @initialize(born=st.booleans())
    def start(self, born: bool) -> None:
        self.place = Path(tempfile.mkdtemp())
        self.repository = Repository(self.place / "r")
        self.repository.write(".git/info/exclude", "*.log\n")
        self.repository.write("keep", "x")
        self.commits: list[str] = []
        if born:
            for path in PATHS[1:-1]:
                self.edit(path, TEXTS[1])
            self.commit_all()

    @rule(path=st.sampled_from(PATHS), text=st.sampled_from(TEXTS))
    def edit(self, path: str, text: bytes) -> None:
        place = self.repository.root / path
        for above in reversed(place.relative_to(self.repository.root).parents[:-1]):
            if (self.repository.root / above).is_file() or (self.repository.root / above).is_symlink():
                (self.repository.root / above).unlink()
        if place.is_symlink():
            place.unlink()
        if place.is_dir():
            shutil.rmtree(place)
        self.repository.write(path, text)

    @rule(path=st.sampled_from(PATHS))
    def delete(self, path: str) -> None:
        place = self.repository.root / path
        if place.is_file() or place.is_symlink():
            place.unlink()

    @rule(path=st.sampled_from(PATHS), where=st.sampled_from(["keep", "d", "none"]))
    def link(self, path: str, where: str) -> None:
        self.delete(path)
        place = self.repository.root / path
        if place.parent.is_dir() and not place.exists() and not place.is_symlink():
            place.symlink_to(self.repository.root / where)

    @rule(path=st.sampled_from(PATHS))
    def add(self, path: str) -> None:
        self.repository.git("add", "-f", "--", path, check=False)

    @rule(path=st.sampled_from(PATHS))
    def forget(self, path: str) -> None:
        self.repository.git("rm", "-rfq", "--cached", "--", path, check=False)

    @rule(one=st.sampled_from(PATHS), other=st.sampled_from(PATHS))
    def move(self, one: str, other: str) -> None:
        self.repository.git("mv", "-f", "--", one, other, check=False)

    @rule()
    def commit(self) -> None:
        self.repository.git("commit", "-q", "--allow-empty", "-m", "x", check=False)
        self.commits.append(self.repository.git("rev-parse", "HEAD"))

    @rule()
    def commit_all(self) -> None:
        self.repository.git("add", "-A")
        self.commit()

    @rule(path=st.sampled_from(PATHS), ours=st.sampled_from(TEXTS), theirs=st.sampled_from(TEXTS))
    def quarrel(self, path: str, ours: bytes, theirs: bytes) -> None:
        """Two commits from one that may be in conflict, and their merge."""
        self.commit_all()
        self.edit(path, theirs)
        self.commit_all()
        self.repository.git("checkout", "-q", "-f", self.commits[-2], check=False)
        self.edit(path, ours)
        self.commit_all()
        self.repository.git("merge", "-q", self.commits[-2], check=False)

    @rule(one=st.sampled_from(["a", "d", "d/b"]), other=st.sampled_from(["d", "keep", "none"]))
    def link_in_place_of(self, one: str, other: str) -> None:
        """Whatever lies there, a directory with all that it holds too, gives way to a link."""
        place = self.repository.root / one
        if one == other:  # git calls files behind a link to itself unchanged
            return
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        self.link(one, other)

    @rule(force=st.booleans(), data=st.data())
    def checkout(self, force: bool, data: st.DataObject) -> None:
        if self.commits:
            options = ["-f"] if force else []
            self.repository.git("checkout", "-q", *options, data.draw(st.sampled_from(self.commits)), check=False)

    @rule(data=st.data())
    def merge(self, data: st.DataObject) -> None:
        if self.commits:
            self.repository.git("merge", "-q", data.draw(st.sampled_from(self.commits)), check=False)

    @rule()
    def stash(self) -> None:
        self.repository.git("stash", "-q", "-u", check=False)

    @invariant()
    def what_is_visible_is_what_lies_there(self) -> None:
        if hasattr(self, "repository"):
            assert visible(self.repository.source()) == self.expected()

    @invariant()
    def two_commits_and_their_difference_agree(self) -> None:
        if len(getattr(self, "commits", [])) > 1:
            source = self.repository.source()
            old, new = (
                {entry.path: entry.blob for entry in tree(source, one)} for one in (self.commits[0], self.commits[-1])
            )
            changed, removed = diff(source, self.commits[0], self.commits[-1])
            kept = {path: blob for path, blob in old.items() if path not in removed}
            assert {**kept, **{path: entry.blob for path, entry in changed.items()}} == new

    @invariant()
    def a_state_is_known_until_something_happens(self) -> None:
        if hasattr(self, "repository"):
            source = discover(self.repository.root)
            first = state(source)
            assert state(source, known=first) is first

    def expected(self) -> dict[str, bytes]:
        """Regular files on disk, without those that git ignores and does not track."""
        root = os.fsencode(self.repository.root)
        found = {}
        for folder, names, files in os.walk(root):
            names[:] = [name for name in names if name != b".git"]
            for name in files:
                place = os.path.join(folder, name)
                if not os.path.islink(place):
                    with open(place, "rb") as file:
                        found[os.fsdecode(os.path.relpath(place, root))] = file.read()
        tracked = {*self.repository.git("ls-files", "-z").split("\0")}
        return {path: text for path, text in found.items() if not path.endswith(".log") or path in tracked}

    def teardown(self) -> None:
        if hasattr(self, "place"):
            shutil.rmtree(self.place)


WorkTree.TestCase.settings = settings(
    max_examples=25, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
)
TestWorkTree = WorkTree.TestCase


def test_ids_are_those_of_git(repository: Repository) -> None:
    """The id of every text of the model is git's."""
    for text in TEXTS:
        assert blob_id(text) == repository.git("hash-object", "--stdin", text=text)
