"""Which commit a name means, and how commits descend."""

from __future__ import annotations

from pathlib import Path

import pytest
from git_repositories import Repository

from callsite.errors import SourceError
from callsite.git import clone_key, default_branch_commit, discover, is_ancestor, merge_base, resolve


@pytest.fixture
def forked(repository: Repository) -> dict[str, str]:
    """Two branches from one commit, and a third with no history in common; the ids by name."""
    commits = {"base": repository.commit({"a": "1"})}
    commits["main"] = repository.commit({"a": "2"})
    repository.git("checkout", "-q", "-b", "topic", commits["base"])
    commits["topic"] = repository.commit({"b": "1"})
    repository.git("checkout", "-q", "--orphan", "alone")
    commits["alone"] = repository.commit({"c": "1"})
    return commits


def test_ancestry(repository: Repository, forked: dict[str, str]) -> None:
    """A commit descends from itself and from those before it only."""
    source, one = repository.source(), forked
    assert is_ancestor(source, one["base"], one["topic"]) and is_ancestor(source, one["base"], one["base"])
    assert not is_ancestor(source, one["topic"], one["base"]) and not is_ancestor(source, one["main"], one["topic"])
    assert not is_ancestor(source, "1" * 40, one["main"]) and not is_ancestor(source, "--help", "HEAD")


def test_merge_bases(repository: Repository, forked: dict[str, str]) -> None:
    """The fork point, or nothing where histories never met or a commit is gone."""
    source = repository.source()
    assert merge_base(source, forked["main"], forked["topic"]) == forked["base"]
    assert merge_base(source, forked["main"], forked["alone"]) == ""
    assert merge_base(source, forked["main"], "1" * 40) == merge_base(source, "-a", "HEAD") == ""


@pytest.mark.parametrize("name", ["topic", "topic^", "refs/heads/topic", "v1", "topic~1", ":/change", "a name"])
def test_names_of_commits(repository: Repository, forked: dict[str, str], name: str) -> None:
    """Whatever git takes for a revision, tags peeled to their commit."""
    repository.git("tag", "-a", "-m", "x", "v1", forked["topic"])
    if " " in name:
        with pytest.raises(SourceError):
            resolve(repository.source(), name)
    else:
        assert resolve(repository.source(), name) == repository.git("log", "-1", "--format=%H", name)


@pytest.mark.parametrize("name", ["main", "master", "trunk", "develop"])
def test_usual_default_branches(repository: Repository, name: str) -> None:
    """A local branch of a usual name is the default one."""
    commit = repository.commit()
    repository.git("branch", "-m", name)
    repository.git("checkout", "-q", "-b", "topic")
    assert default_branch_commit(repository.source()) == (name, commit)


def test_the_remote_says_which_branch_is_the_default(repository: Repository, tmp_path: Path) -> None:
    """`origin/HEAD` goes before any usual name; a remote branch counts where no local one is."""
    repository.commit()
    repository.git("branch", "release/next")
    repository.git("checkout", "-q", "release/next")
    commit = repository.commit({"a": "1"})
    repository.git("clone", "-q", ".", str(tmp_path / "clone"))
    clone = Repository(tmp_path / "clone")
    clone.git("checkout", "-q", "-b", "topic")
    assert default_branch_commit(clone.source()) == ("release/next", commit)
    clone.git("remote", "set-head", "origin", "-d")
    assert default_branch_commit(clone.source()) == ("main", repository.git("rev-parse", "main"))


def test_a_bare_repository_says_it_by_head(repository: Repository, tmp_path: Path) -> None:
    """The HEAD of a bare repository is its default branch."""
    commit = repository.commit()
    repository.git("branch", "-m", "odd")
    repository.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    assert default_branch_commit(discover(tmp_path / "bare")) == ("odd", commit)


def test_no_default_branch(repository: Repository, tmp_path: Path) -> None:
    """Nothing usual, no commit, no git: no default branch."""
    assert default_branch_commit(repository.source()) == ("", "")
    repository.commit()
    repository.git("branch", "-m", "odd")
    assert default_branch_commit(repository.source()) == ("", "")
    assert default_branch_commit(discover(tmp_path)) == ("", "")


def test_clones_of_one_remote_have_one_key(repository: Repository, tmp_path: Path) -> None:
    """Whoever has the same remote and first commit is a clone of the same repository; without a remote nobody is."""
    repository.commit({"a": "1"})
    clones = [tmp_path / "one", tmp_path / "two"]
    for clone in clones:
        repository.git("clone", "-q", ".", str(clone))
    one, two = (clone_key(discover(clone)) for clone in clones)
    assert one == two != ""
    assert clone_key(repository.source()) == ""
