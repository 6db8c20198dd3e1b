"""What lies at a path."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from git_repositories import Repository, visible

from callsite.errors import GitError, SourceError
from callsite.git import discover, state


def check(path: Path | str, *, kind: str, root: Path, focus: str = "") -> None:
    found = discover(path)
    assert (found.kind, found.root, found.focus) == (kind, os.path.realpath(root), focus)


def fails(path: Path | str, *, commit: str = "") -> str:
    with pytest.raises(SourceError) as caught:
        discover(path, commit=commit)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_top_of_a_work_tree(repository: Repository) -> None:
    """A work tree's top is its own root, with nothing in focus."""
    check(repository.root, kind="worktree", root=repository.root)


def test_a_sub_directory_and_a_file_are_in_focus(repository: Repository) -> None:
    """A path inside a work tree leads to its top, and is remembered relative to it."""
    repository.write("a b/c.py", "x")
    check(repository.root / "a b", kind="worktree", root=repository.root, focus="a b")
    check(repository.root / "a b/c.py", kind="worktree", root=repository.root, focus="a b/c.py")


def test_a_link_to_a_directory_leads_to_its_target(repository: Repository, tmp_path: Path) -> None:
    """A symbolic link on the way is resolved, so that one place has one key."""
    repository.write("a/b.py", "x")
    (tmp_path / "link").symlink_to(repository.root / "a")
    check(tmp_path / "link", kind="worktree", root=repository.root, focus="a")


def test_inside_the_git_directory(repository: Repository) -> None:
    """Inside `.git` the work tree around it is meant."""
    check(repository.root / ".git", kind="worktree", root=repository.root)
    check(repository.root / ".git/refs/heads", kind="worktree", root=repository.root)
    check(repository.root / ".git/HEAD", kind="worktree", root=repository.root)


def test_a_plain_folder_and_a_file_in_it(tmp_path: Path) -> None:
    """Without git the folder itself is the root, and for a file the folder that holds it."""
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.py").write_text("x")
    check(folder, kind="folder", root=folder)
    check(folder / "a.py", kind="folder", root=folder, focus="a.py")


def test_a_path_that_does_not_exist(tmp_path: Path) -> None:
    """A missing path is one clear error, whatever bytes its name has."""
    assert "does not exist" in fails(tmp_path / "absent")
    assert "does not exist" in fails(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\n"))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_directory_that_cannot_be_read(tmp_path: Path) -> None:
    """A closed directory is one clear error."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    assert "cannot be read" in fails(closed)


def test_a_bare_repository_shows_its_head(repository: Repository, tmp_path: Path) -> None:
    """A bare repository shows the commit of its HEAD, without a branch of its own."""
    commit = repository.commit({"a.py": "x"})
    repository.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    check(tmp_path / "bare.git", kind="bare", root=tmp_path / "bare.git")
    source = discover(tmp_path / "bare.git")
    assert (source.commit, source.view, state(source).head) == (commit, commit, commit)
    assert visible(source) == {"a.py": b"x"}


def test_a_bare_repository_without_commit(tmp_path: Path) -> None:
    """A bare repository without a commit shows nothing, and says so."""
    bare = Repository(tmp_path / "bare.git", "--bare")
    found = state(discover(bare.root))
    assert (found.head, found.changed) == ("", {})
    assert "no commit" in found.notes[0]


def test_a_named_commit_fixes_the_view(repository: Repository) -> None:
    """A commit that was asked for is shown whatever the work tree holds, under a view of its own."""
    old = repository.commit({"a.py": "old"})
    repository.git("tag", "v1")
    repository.commit({"a.py": "new"})
    source = discover(repository.root, commit="v1")
    assert (source.kind, source.commit, source.view) == ("worktree", old, old)
    assert visible(source) == {"a.py": b"old"}
    assert source.key == repository.source().key


@pytest.mark.parametrize(
    "name", ["absent", "HEAD:a.py", "--help", "-x", "a\nHEAD", "a\0b", "0" * 40, "HEAD~999", " ", "^"]
)
def test_a_commit_that_does_not_exist(repository: Repository, name: str) -> None:
    """A name that means no commit is one clear error, never an option of git."""
    repository.commit({"a.py": "x"})
    assert "is no commit" in fails(repository.root, commit=name)


def test_a_folder_has_no_commits(tmp_path: Path) -> None:
    """Asking a plain folder for a commit is one clear error."""
    assert "no git repository" in fails(tmp_path, commit="main")


def test_linked_work_trees_share_the_key(repository: Repository, tmp_path: Path) -> None:
    """A linked work tree has the key of its main one and a view of its own."""
    repository.commit({"a.py": "x"})
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked, main = discover(tmp_path / "linked"), repository.source()
    assert (linked.kind, linked.key) == ("worktree", main.key)
    assert linked.view != main.view
    (tmp_path / "linked/a.py").write_text("y")
    assert visible(linked) == {"a.py": b"y"}
    assert visible(main) == {"a.py": b"x"}


def test_a_linked_work_tree_whose_repository_moved(repository: Repository, tmp_path: Path) -> None:
    """A work tree that lost its repository is read as a plain folder, and the note says what mends it."""
    repository.commit({"a.py": "x"})
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"))
    repository.root.rename(tmp_path / "elsewhere")
    source = discover(tmp_path / "linked")
    assert source.kind == "folder"
    assert "git worktree repair" in state(source).notes[0]
    assert visible(source) == {"a.py": b"x"}
    assert "git worktree repair" in fails(tmp_path / "linked", commit="main")


def test_work_trees_around_a_bare_repository(repository: Repository, tmp_path: Path) -> None:
    """A bare `.git` with work trees beside it: the directory itself is bare, the work trees are work trees."""
    repository.commit({"a.py": "x"})
    hub = tmp_path / "hub"
    hub.mkdir()
    repository.git("clone", "-q", "--bare", ".", str(hub / ".git"))
    repository.git("-C", str(hub), "worktree", "add", "-q", str(hub / "tree"), "main")
    check(hub, kind="bare", root=hub / ".git")
    check(hub / "tree", kind="worktree", root=hub / "tree")
    assert visible(discover(hub)) == visible(discover(hub / "tree")) == {"a.py": b"x"}


def test_a_submodule_is_a_repository_of_its_own(repository: Repository, tmp_path: Path) -> None:
    """Inside a submodule the submodule is meant; its git directory leads to its work tree too."""
    inner = Repository(tmp_path / "inner")
    inner.commit({"b.py": "y"})
    repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.root), "sub")
    check(repository.root / "sub", kind="worktree", root=repository.root / "sub")
    check(repository.root / ".git/modules/sub", kind="worktree", root=repository.root / "sub")
    assert visible(discover(repository.root / "sub")) == {"b.py": b"y"}


def test_a_git_directory_put_elsewhere(tmp_path: Path) -> None:
    """A work tree whose git directory lies elsewhere works from both ends."""
    apart = Repository(tmp_path / "work", f"--separate-git-dir={tmp_path / 'apart.git'}")
    apart.commit({"a.py": "x"})
    check(apart.root, kind="worktree", root=apart.root)
    assert visible(discover(tmp_path / "apart.git")) == visible(apart.source()) == {"a.py": b"x"}


def test_a_work_tree_named_by_the_configuration(repository: Repository, tmp_path: Path) -> None:
    """`core.worktree` moves the root, also when it comes from an included file."""
    repository.commit({"a.py": "x"})
    (tmp_path / "other tree").mkdir()
    (tmp_path / "other tree/b.py").write_text("y")
    (tmp_path / "included").write_text(f'[core]\n\tworktree = "{tmp_path}/other tree"\n')
    repository.git("config", "include.path", str(tmp_path / "included"))
    check(repository.root, kind="worktree", root=tmp_path / "other tree")
    assert visible(repository.source()) == {"b.py": b"y"}


def test_ceilings_are_respected(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository above a ceiling is not looked for."""
    repository.write("a/b/c.py", "x")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(repository.root))
    check(repository.root / "a/b", kind="folder", root=repository.root / "a/b")
    check(repository.root, kind="worktree", root=repository.root)


def test_an_empty_git_directory_is_none(repository: Repository) -> None:
    """Like git, a `.git` that holds nothing is passed over."""
    repository.write("a/.git/empty", "")
    check(repository.root / "a", kind="worktree", root=repository.root, focus="a")


@pytest.mark.parametrize("head", ["", "nonsense", "ref: elsewhere"])
def test_a_corrupt_head(repository: Repository, head: str) -> None:
    """A repository that git does not recognise is read as a plain folder, not as part of one further up."""
    repository.commit({"a.py": "x"})
    inner = Repository(repository.root / "inner")
    inner.commit({"b.py": "y"})
    inner.write(".git/HEAD", head)
    source = inner.source()
    assert (source.kind, source.root) == ("folder", str(inner.root))
    assert "damaged" in state(source).notes[0]
    assert visible(source) == {"b.py": b"y"}


def test_the_callers_git_variables_do_not_leak(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inside a hook of another repository the path alone decides."""
    repository.commit({"a.py": "x"})
    other = Repository(tmp_path / "other")
    for name, value in {"DIR": ".git", "WORK_TREE": "", "INDEX_FILE": ".git/none", "OBJECT_DIRECTORY": "none"}.items():
        monkeypatch.setenv(f"GIT_{name}", str(other.root / value))
    monkeypatch.setenv("GIT_PREFIX", "elsewhere/")
    assert visible(repository.source()) == {"a.py": b"x"}


def test_without_git_a_work_tree_is_a_folder(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the git program a work tree is read as a plain folder, and the note says what to install."""
    repository.commit({"a.py": "x", ".gitignore": "*.log", "b.log": "z"})
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    source = repository.source()
    assert visible(source) == {"a.py": b"x", ".gitignore": b"*.log"}
    assert "git was not found on PATH" in state(source).notes[0]


def test_without_git_a_bare_repository_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the git program a bare repository has nothing to read."""
    bare = Repository(tmp_path / "bare.git", "--bare")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(GitError, match="install git"):
        discover(bare.root)


def test_an_old_git_is_named(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that lacks an option leads to plain-folder reading, with both versions named."""
    repository.commit({"a.py": "x"})
    old = tmp_path / "old"
    old.mkdir()
    answers = "*--version) echo git version 1.8.3;; *) echo 'error: unknown option' >&2; exit 129;;"
    (old / "git").write_text(f'#!/bin/sh\ncase "$*" in {answers} esac\n')
    (old / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{old}{os.pathsep}{os.environ['PATH']}")
    found = state(repository.source())
    assert list(found.changed) == ["a.py"]
    assert "git 1.8.3 is too old, 2.20 or newer is needed" in found.notes[0]


def test_a_program_of_the_repository_is_not_taken_for_git(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative entry of PATH never leads to a `git` that lies in the repository."""
    repository.write("git", "#!/bin/sh\ntouch ran\n")
    (repository.root / "git").chmod(0o755)
    monkeypatch.chdir(repository.root)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}{os.environ['PATH']}")
    assert list(state(repository.source()).changed) == ["git"]
    assert not (repository.root / "ran").exists()


def test_a_foreign_owner_is_not_trusted(repository: Repository) -> None:
    """A repository of another owner could run programs: it is read as a plain folder, and the note names the remedy."""
    if os.name == "nt" or os.geteuid() != 0:
        pytest.skip("only root can give a directory away")
    repository.commit({"a.py": "x"})
    for place, _, _ in os.walk(repository.root):
        shutil.chown(place, user=12345)
    found = state(repository.source())
    assert list(found.changed) == ["a.py"]
    assert f"git config --global --add safe.directory '{repository.root}'" in found.notes[0]
