"""Which files a source shows right now."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from git_repositories import Repository, visible

from callsite.git import begin_state, discover, hidden_by_sparse, read_dirty, state, tree
from callsite.git.files import Problem
from callsite.types import Skipped


def check(repository: Repository, expected: dict[str, bytes]) -> None:
    assert visible(repository.source()) == expected


def test_an_unborn_head(repository: Repository) -> None:
    """Before the first commit every file is a change, staged or not."""
    repository.write("a.py", "x")
    repository.write("d/b.py", "y")
    repository.git("add", "a.py")
    found = state(repository.source())
    assert (found.head, found.branch, sorted(found.changed)) == ("", "main", ["a.py", "d/b.py"])
    check(repository, {"a.py": b"x", "d/b.py": b"y"})


def test_a_repository_without_files(repository: Repository) -> None:
    """An empty work tree shows nothing, before and after a commit."""
    check(repository, {})
    repository.commit()
    check(repository, {})


def test_a_clean_work_tree(repository: Repository) -> None:
    """Nothing differs after a commit."""
    commit = repository.commit({"a.py": "x"})
    found = state(repository.source())
    assert (found.head, found.branch, found.changed, found.removed, found.notes) == (
        commit,
        "main",
        {},
        frozenset(),
        (),
    )


def test_every_kind_of_change(repository: Repository) -> None:
    """Staged, unstaged, untracked, removed in the index and removed on disk are all seen."""
    repository.commit(dict.fromkeys(("kept", "edited", "staged", "both", "deleted", "unstaged", "uncached"), "old"))
    for name in ("edited", "staged", "both"):
        repository.write(name, "new")
    repository.write("added", "new")
    repository.git("add", "staged", "both", "added")
    repository.write("both", "newer")
    (repository.root / "deleted").unlink()
    repository.git("rm", "-q", "unstaged")
    repository.git("rm", "-q", "--cached", "uncached")
    repository.write("untracked", "new")
    found = state(repository.source())
    assert sorted(found.changed) == ["added", "both", "edited", "staged", "uncached", "untracked"]
    assert found.removed == {"deleted", "unstaged"}
    check(repository, {"kept": b"old", "edited": b"new", "staged": b"new", "both": b"newer", "added": b"new",
                       "uncached": b"old", "untracked": b"new"})  # fmt: skip


def test_a_file_added_and_deleted_again(repository: Repository) -> None:
    """A staged file that is gone from disk is no part of HEAD, so nothing was removed."""
    repository.commit()
    repository.write("a", "x")
    repository.git("add", "a")
    (repository.root / "a").unlink()
    found = state(repository.source())
    assert (found.changed, found.removed) == ({}, frozenset())


def test_the_figures_of_a_change(repository: Repository) -> None:
    """A change carries size, time and inode, so that an unchanged one is not read again."""
    repository.write("a", "four")
    found = state(repository.source()).changed["a"]
    seen = (repository.root / "a").stat()
    assert (found.size, found.mtime_ns, found.inode, found.ctime_ns) == (
        4,
        seen.st_mtime_ns,
        seen.st_ino,
        seen.st_ctime_ns,
    )


def test_a_known_state_is_returned_itself(repository: Repository) -> None:
    """The caller can tell by identity that nothing happened."""
    repository.write("a", "x")
    source = repository.source()
    known = state(source)
    assert state(source, known=known) is known
    repository.write("b", "x")
    assert state(source, known=known) is not known


def test_a_state_begun_early_is_the_same(repository: Repository) -> None:
    """A state can be started, and its result asked for later and twice."""
    repository.write("a", "x")
    pending = begin_state(repository.source())
    assert pending.result() is pending.result()
    assert pending.result() == state(repository.source())


def test_a_state_never_asked_for_leaves_no_process(repository: Repository) -> None:
    """A pending state that is dropped ends its process."""
    pending = begin_state(repository.source())
    del pending
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@pytest.mark.parametrize(
    "name",
    [
        b"a b",
        b"a\nb",
        b'"q"',
        b"-x",
        b"\xff\xfe",
        "é中".encode(),
        b"back\\slash",
        b"tab\tx",
        b"? x",
        b" lead",
        b"trail ",
    ],
)
def test_names_in_any_bytes(repository: Repository, name: bytes) -> None:
    """A file of any name is seen, committed, changed, and untracked."""
    path = os.fsdecode(name)
    repository.write(path, "one")
    check(repository, {path: b"one"})
    repository.commit()
    check(repository, {path: b"one"})
    repository.write(path, "two")
    check(repository, {path: b"two"})


def test_line_ends_follow_git(repository: Repository) -> None:
    """With autocrlf a checked-out file is unchanged though its bytes differ, so the committed content is shown."""
    repository.commit({"a": "1\n2\n"})
    repository.git("config", "core.autocrlf", "true")
    (repository.root / "a").unlink()
    repository.git("checkout", "a")
    assert (repository.root / "a").read_bytes() == b"1\r\n2\r\n"
    check(repository, {"a": b"1\n2\n"})


def test_links_are_listed_not_followed(repository: Repository, tmp_path: Path) -> None:
    """A link is no file of its own: not to a file, nor a directory, nor out of the tree."""
    (tmp_path / "secret").write_text("s")
    repository.write("d/a", "x")
    (repository.root / "inside").symlink_to("d/a")
    (repository.root / "outside").symlink_to(tmp_path / "secret")
    (repository.root / "directory").symlink_to("d")
    (repository.root / "d/loop").symlink_to(".")
    links = {"inside", "outside", "directory", "d/loop"}
    assert {one.path for one in state(repository.source()).skipped} == links
    check(repository, {"d/a": b"x"})
    commit = repository.commit()
    assert {entry.path for entry in tree(repository.source(), commit) if not entry.regular} == links
    check(repository, {"d/a": b"x"})


def test_a_file_that_became_a_link(repository: Repository) -> None:
    """A link in the place of a committed file hides its content."""
    repository.commit({"a": "x", "b": "y"})
    (repository.root / "a").unlink()
    (repository.root / "a").symlink_to("b")
    found = state(repository.source())
    assert (set(found.removed), found.skipped) == ({"a"}, (Skipped(path="a", reason="symbolic link"),))
    check(repository, {"b": b"y"})


def test_a_directory_that_became_a_link(repository: Repository, tmp_path: Path) -> None:
    """Files behind a link that took their directory's place are gone, though a path leads to others."""
    repository.commit({"d/a": "x", "b": "y"})
    (tmp_path / "away").mkdir()
    (repository.root / "d/a").rename(tmp_path / "away/a")
    (repository.root / "d").rmdir()
    (repository.root / "d").symlink_to(tmp_path / "away")
    check(repository, {"b": b"y"})


def test_a_directory_that_became_a_loop(repository: Repository) -> None:
    """Git cannot look behind a link to itself and calls the files unchanged: shown as committed, with a note."""
    repository.commit({"d/a": "x"})
    (repository.root / "d/a").unlink()
    (repository.root / "d").rmdir()
    (repository.root / "d").symlink_to("d")
    check(repository, {"d/a": b"x"})
    assert "d/a" in state(repository.source()).notes[0]


def test_a_file_and_a_directory_change_places(repository: Repository) -> None:
    """A file where a directory was, and the other way round."""
    repository.commit({"a": "x", "b/c": "y"})
    repository.git("rm", "-q", "a", "b/c")
    repository.write("a/n", "1")
    repository.write("b", "2")
    check(repository, {"a/n": b"1", "b": b"2"})


def test_special_files_are_passed_over(repository: Repository) -> None:
    """A named pipe is never opened, also in the place of a committed file."""
    repository.commit({"a": "x"})
    (repository.root / "a").unlink()
    os.mkfifo(repository.root / "a")
    os.mkfifo(repository.root / "b")
    check(repository, {})


def test_ignored_files_are_not_shown(repository: Repository) -> None:
    """What git ignores is not there, unless it is tracked."""
    repository.write("tracked.log", "x")
    repository.commit()
    repository.write("d/.gitignore", "*.log\n")
    repository.write("d/a.log", "y")
    repository.write(".git/info/exclude", "private\n")
    repository.write("private", "z")
    check(repository, {"tracked.log": b"x", "d/.gitignore": b"*.log\n"})


def test_submodules_are_reported_not_entered(repository: Repository, tmp_path: Path) -> None:
    """A submodule is an entry of the tree; changes inside of it are none of ours."""
    inner = Repository(tmp_path / "inner")
    inner.commit({"b.py": "y"})
    repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.root), "sub")
    commit = repository.commit()
    repository.write("sub/b.py", "changed")
    entries = {entry.path: entry for entry in tree(repository.source(), commit)}
    assert (entries["sub"].mode, entries["sub"].regular) == (0o160000, False)
    assert visible(repository.source()).keys() == {".gitmodules"}


def test_a_file_that_became_a_submodule(repository: Repository) -> None:
    """A repository in the place of a committed file hides its content."""
    repository.commit({"a": "x"})
    (repository.root / "a").unlink()
    Repository(repository.root / "a").commit({"b": "y"})
    check(repository, {})
    repository.git("add", "-A")
    check(repository, {})


def test_nested_repositories_are_noted_not_entered(repository: Repository) -> None:
    """An untracked repository below is another source."""
    Repository(repository.root / "d/nested").commit({"b.py": "y"})
    repository.write("a", "x")
    assert state(repository.source()).skipped == (Skipped(path="d/nested/", reason="another git repository"),)
    check(repository, {"a": b"x"})


def test_a_detached_head(repository: Repository) -> None:
    """Without a branch the commit still tells what is shown."""
    commit = repository.commit({"a": "x"})
    repository.git("checkout", "-q", "--detach")
    found = state(repository.source())
    assert (found.head, found.branch) == (commit, "")


def test_a_merge_conflict(repository: Repository) -> None:
    """A file in conflict is shown once, as it stands in the work tree; one that both sides miss is not."""
    repository.commit({"a": "base\n", "b": "base\n", "keep": "k"})
    repository.git("checkout", "-q", "-b", "other")
    repository.commit({"a": "theirs\n", "b": "theirs\n"})
    repository.git("checkout", "-q", "main")
    repository.git("rm", "-q", "b")
    repository.commit({"a": "ours\n"})
    repository.git("merge", "-q", "other", check=False)
    shown = visible(repository.source())
    assert b"<<<<<<<" in shown["a"] and b"theirs" in shown["a"]
    assert (shown["b"], shown["keep"]) == (b"theirs\n", b"k")
    (repository.root / "b").unlink()
    (repository.root / "a").unlink()
    check(repository, {"keep": b"k"})


def test_a_rename_in_progress(repository: Repository) -> None:
    """A rename is a removal and an addition, staged or not."""
    repository.commit({"a": "long enough to be recognised\n" * 5})
    repository.git("mv", "a", "b")
    found = state(repository.source())
    assert (set(found.removed), list(found.changed)) == ({"a"}, ["b"])
    repository.git("config", "status.renames", "copies")
    assert state(repository.source()) == found


def test_a_file_only_intended_to_be_added(repository: Repository) -> None:
    """`git add -N` makes a file visible like any other."""
    repository.commit()
    repository.write("a", "x")
    repository.git("add", "-N", "a")
    check(repository, {"a": b"x"})


def test_a_changed_mode(repository: Repository) -> None:
    """A file that became executable shows the same content."""
    repository.commit({"a": "x"})
    (repository.root / "a").chmod(0o755)
    check(repository, {"a": b"x"})


def test_names_that_differ_in_case_only(repository: Repository) -> None:
    """Both are shown where the file system can hold both; else the one that is there."""
    repository.commit({"File.py": "1"})
    repository.write("file.py", "2")
    shown = visible(repository.source())
    assert shown in ({"File.py": b"1", "file.py": b"2"}, {"File.py": b"2"})


def test_a_locked_index(repository: Repository) -> None:
    """Another git at work does not stop us, and we leave its lock alone."""
    repository.commit({"a": "x"})
    repository.write("a", "y")
    repository.write(".git/index.lock", "")
    check(repository, {"a": b"y"})
    assert (repository.root / ".git/index.lock").exists()


def test_nothing_is_written(repository: Repository) -> None:
    """Reading leaves every byte of the git directory as it was, though the index could be refreshed."""
    repository.commit({"a": "x"})
    os.utime(repository.root / "a", (1, 1))
    places = [place for place in (repository.root / ".git").rglob("*") if place.is_file()]
    before = {place: (place.read_bytes(), place.stat().st_mtime_ns) for place in places}
    visible(repository.source())
    after = {
        place: (place.read_bytes(), place.stat().st_mtime_ns)
        for place in (repository.root / ".git").rglob("*")
        if place.is_file()
    }
    assert after == before


def test_no_program_of_the_repository_runs(repository: Repository, tmp_path: Path) -> None:
    """Hooks, file monitors, external diffs and text conversions that a repository configures stay unused."""
    repository.commit({"a": "x", ".gitattributes": "a diff=evil\n"})
    old = repository.commit({"a": "y"})
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    evil.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "core.pager",
        "core.sshCommand",
        "core.editor",
    ):
        repository.git("config", key, str(evil))
    for hook in ("post-index-change", "fsmonitor-watchman", "post-checkout"):
        repository.write(f".git/hooks/{hook}", evil.read_bytes())
        (repository.root / f".git/hooks/{hook}").chmod(0o755)
    repository.write("a", "z")
    source = discover(repository.root)
    assert visible(source) == {"a": b"z", ".gitattributes": b"a diff=evil\n"}
    discover(repository.root, commit=old)
    assert not (tmp_path / "ran").exists()


def test_a_sparse_checkout(repository: Repository) -> None:
    """Files that a sparse checkout keeps away are told, and are neither removed nor changed."""
    repository.commit({"a/x": "1", "b/y": "2"})
    assert hidden_by_sparse(repository.source()) == frozenset()
    repository.git("sparse-checkout", "set", "--no-cone", "/a/")
    assert hidden_by_sparse(repository.source()) == {"b/y"}
    found = state(repository.source())
    assert (found.changed, found.removed) == ({}, frozenset())
    repository.git("sparse-checkout", "disable")
    assert hidden_by_sparse(repository.source()) == frozenset()


def test_a_sparse_index(repository: Repository) -> None:
    """Directories folded together in the index are told file by file."""
    repository.commit({"a/x": "1", "b/y": "2", "b/c/z": "3"})
    repository.git("sparse-checkout", "set", "--cone", "--sparse-index", "a")
    repository.write("a/x", "4")
    assert hidden_by_sparse(repository.source()) == {"b/y", "b/c/z"}
    assert list(state(repository.source()).changed) == ["a/x"]


def test_a_missing_head_commit(repository: Repository) -> None:
    """A repository whose commit is gone is read as a plain folder, and the note says why."""
    commit = repository.commit({"a": "x"})
    (repository.root / ".git/objects" / commit[:2] / commit[2:]).unlink()
    found = state(repository.source())
    assert (found.head, list(found.changed)) == ("", ["a"])
    assert "read as a plain folder" in found.notes[0]


def test_a_corrupt_index(repository: Repository) -> None:
    """A damaged index leads to the same."""
    repository.commit({"a": "x"})
    repository.write(".git/index", b"nonsense")
    assert "read as a plain folder" in state(repository.source()).notes[0]
    check(repository, {"a": b"x"})


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_an_unreadable_directory_is_noted(repository: Repository) -> None:
    """What cannot be listed is named, the rest is shown."""
    repository.write("a", "x")
    repository.write("closed/b", "y")
    (repository.root / "closed").chmod(0)
    assert "closed" in state(repository.source()).notes[0]
    (repository.root / "closed").chmod(0o755)


def test_without_posix_spawn(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the quick way of starting git is missing the usual one does the same."""
    repository.commit({"a": "x"})
    repository.write("a", "y")
    expected = state(repository.source())
    monkeypatch.delattr(os, "posix_spawn")
    monkeypatch.setattr(subprocess, "_USE_POSIX_SPAWN", False)  # the standard library looked before we took it away
    assert state(repository.source()) == expected
    begin_state(repository.source())


def test_reading_names_the_problem(repository: Repository, tmp_path: Path) -> None:
    """A file that cannot be read comes back as the reason, never as an exception or as another file."""
    repository.write("d/a", "12345")
    (tmp_path / "secret").write_text("s")
    (repository.root / "file link").symlink_to(tmp_path / "secret")
    (repository.root / "directory link").symlink_to(tmp_path)
    os.mkfifo(repository.root / "pipe")
    source = repository.source()
    assert read_dirty(source, "d/a", 5) == b"12345"
    behind = ["file link", "directory link/secret", "../secret", str(tmp_path / "secret")]
    kinds = {"d/a": "too large", "d": "special", "pipe": "special", **dict.fromkeys(behind, "link")}
    for path, kind in {**kinds, **dict.fromkeys(["gone", "d/a/b", "a\0b"], "gone")}.items():
        problem = read_dirty(source, path, 4)
        assert isinstance(problem, Problem) and (problem.kind, problem.path) == (kind, path)
