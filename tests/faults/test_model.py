"""The index against a plain model: after any edits and git commands it shows the disk, as a fresh one does."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from checkout import BINARY, BRANCHES, PATHS, RULES, TEXTS, Checkout
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from shown import shown

paths, trees, branches = st.sampled_from(PATHS), st.integers(0, 2), st.sampled_from(BRANCHES)


class Indexed(RuleBasedStateMachine):
    """A repository with linked work trees that share one index; the model is what lies on the disk."""

    @initialize(born=st.booleans())
    def start(self, born: bool) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.checkout = Checkout(self.folder)
        if born:
            for path, text in zip(PATHS, TEXTS, strict=False):
                self.checkout.write(path, text)
            self.checkout.commit()

    @rule(path=paths, text=st.sampled_from((*TEXTS, BINARY)), tree=trees)
    def write(self, path: str, text: str | bytes, tree: int) -> None:
        self.checkout.write(path, text, tree)

    @rule(path=paths, tree=trees)
    def remove(self, path: str, tree: int) -> None:
        self.checkout.remove(path, tree)

    @rule(old=paths, new=paths, tree=trees)
    def rename(self, old: str, new: str, tree: int) -> None:
        self.checkout.rename(old, new, tree)

    @rule(path=paths, tree=trees)
    def make_executable(self, path: str, tree: int) -> None:
        self.checkout.make_executable(path, tree)

    @rule(tree=trees)
    def commit(self, tree: int) -> None:
        self.checkout.commit(tree)

    @rule(branch=branches, tree=trees, force=st.booleans())
    def switch(self, branch: str, tree: int, force: bool) -> None:
        self.checkout.switch(branch, tree, force=force)

    @rule(tree=trees)
    def detach(self, tree: int) -> None:
        self.checkout.detach(tree)

    @rule(tree=trees)
    def orphan(self, tree: int) -> None:
        self.checkout.orphan(tree)

    @rule(tree=trees)
    def stash(self, tree: int) -> None:
        self.checkout.stash(tree)

    @rule(branch=branches)
    def link(self, branch: str) -> None:
        self.checkout.link(branch)

    @rule()
    def unlink(self) -> None:
        self.checkout.unlink()

    @rule(rules=st.sampled_from(RULES), tree=trees)
    def ignore(self, rules: str, tree: int) -> None:
        self.checkout.ignore(rules, tree)

    @invariant()
    def every_work_tree_is_shown_as_it_is(self) -> None:
        for tree in range(len(self.checkout.roots)) if hasattr(self, "checkout") else ():
            assert shown(self.checkout.roots[tree], self.folder / "home").texts == self.checkout.expected(tree)

    def teardown(self) -> None:
        """In the end all work trees once more, now against an index that was made from nothing."""
        try:
            for root in self.checkout.roots:
                assert shown(root, self.folder / "home") == shown(root, self.folder / "fresh")
        finally:
            shutil.rmtree(self.folder)


Indexed.TestCase.settings = settings(
    max_examples=6, stateful_step_count=10, deadline=None, suppress_health_check=list(HealthCheck)
)
TestIndexed = Indexed.TestCase
