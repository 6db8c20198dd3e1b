"""What commits and blobs hold."""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path

import pytest
from git_repositories import Repository, visible

from callsite.errors import GitError, SourceError
from callsite.git import blob_id, blobs, diff, discover, objects, state, tree


def contents(repository: Repository, ids: list[str], max_size: int | None = None) -> list[bytes | None]:
    return [data for _, data in blobs(repository.source(), ids, max_size=max_size)]


def store(repository: Repository, *texts: bytes) -> list[str]:
    return [repository.git("hash-object", "-w", "--stdin", text=text) for text in texts]


def no_child_is_left() -> None:
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_a_tree_lists_path_mode_blob_and_size(repository: Repository) -> None:
    """Files, executables, links: each with its mode, and its size in bytes."""
    repository.write("d/run", "12345")
    (repository.root / "d/run").chmod(0o755)
    (repository.root / "link").symlink_to("d/run")
    commit = repository.commit(
        {"a\n\udcff\tb".encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape"): ""}
    )
    found = [(entry.path, entry.mode, entry.size) for entry in tree(repository.source(), commit)]
    assert found == [("a\n\udcff\tb", 0o100644, 0), ("d/run", 0o100755, 5), ("link", 0o120000, 5)]
    assert [entry.blob for entry in tree(repository.source(), commit)][1] == blob_id(b"12345")


def test_a_tree_of_nothing(repository: Repository) -> None:
    """A commit without files has an empty tree."""
    assert list(tree(repository.source(), repository.commit())) == []


@pytest.mark.parametrize("commit", ["HEAD", "--help", "", "-1", "a" * 39])
def test_only_full_ids_are_taken(repository: Repository, commit: str) -> None:
    """A name is refused before git sees it."""
    repository.commit()
    with pytest.raises(SourceError, match="no full commit id"):
        tree(repository.source(), commit)
    with pytest.raises(SourceError, match="no full commit id"):
        diff(repository.source(), commit, commit)
    with pytest.raises(SourceError):
        list(blobs(repository.source(), [commit]))


def test_a_tree_that_is_not_there(repository: Repository) -> None:
    """An unknown commit is one clear error."""
    with pytest.raises(GitError, match="ls-tree failed"):
        tree(repository.source(), "1" * 40)


def test_a_difference_between_commits(repository: Repository) -> None:
    """Added and edited paths come with their new blob, removed and renamed ones as removed."""
    old = repository.commit({"kept": "1", "edited": "1", "gone": "1", "renamed": "long enough " * 9, "type": "x"})
    for name in ("gone", "type"):
        (repository.root / name).unlink()
    (repository.root / "renamed").rename(repository.root / "new\nname")
    (repository.root / "type").symlink_to("kept")
    new = repository.commit({"edited": "2", "added": "3"})
    changed, removed = diff(repository.source(), old, new)
    assert (sorted(changed), removed) == (["added", "edited", "new\nname", "type"], {"gone", "renamed"})
    assert (changed["edited"].blob, changed["type"].regular) == (blob_id(b"2"), False)
    assert diff(repository.source(), new, new) == ({}, set())


def test_a_difference_with_a_commit_that_is_gone(repository: Repository) -> None:
    """A commit that was collected is one clear error, after which the whole tree can be read."""
    with pytest.raises(GitError, match="diff-tree failed"):
        diff(repository.source(), "1" * 40, repository.commit())


def test_blobs_come_in_the_order_asked(repository: Repository) -> None:
    """Any bytes, the same one twice, and none at all."""
    texts = [b"", b"\n", b"no newline", b"\0\xff\r\n" * 99, b"missing\n", b""]
    assert contents(repository, store(repository, *texts)) == texts
    assert contents(repository, []) == []


def test_missing_blobs_are_none(repository: Repository) -> None:
    """A missing object, or one that is no blob, takes nothing from those beside it."""
    commit = repository.commit()
    ids = [*store(repository, b"a"), "1" * 40, commit, *store(repository, b"b")]
    assert contents(repository, ids) == [b"a", None, None, b"b"]


def test_large_blobs_are_passed_over(repository: Repository) -> None:
    """A blob over the limit is None; the limit itself is allowed."""
    ids = store(repository, b"x" * 300_000, b"four", b"five5")
    assert contents(repository, ids, max_size=4) == [None, b"four", None]


def test_a_damaged_blob_counts_as_missing(repository: Repository) -> None:
    """Git ends at a damaged object; the others are read all the same."""
    first, second, third, fourth = store(repository, b"a", b"b" * 5000, b"c" * 5000, b"d")
    for damaged in (second, third):
        place = repository.root / ".git/objects" / damaged[:2] / damaged[2:]
        place.chmod(0o644)
        place.write_bytes(b"nonsense")
    assert contents(repository, [second, third, first, third, fourth, second]) == [None, None, b"a", None, b"d", None]


def test_blobs_of_a_broken_repository(repository: Repository) -> None:
    """If the repository itself cannot be read that is one clear error, not thousands of missing files."""
    source = repository.source()
    repository.write(".git/HEAD", "nonsense")
    with pytest.raises(GitError, match="rev-parse failed"):
        list(blobs(source, ["1" * 40]))


def test_many_blobs_do_not_block(repository: Repository) -> None:
    """Far more questions and answers than fit into the pipes."""
    (one,) = store(repository, b"x" * 5000)
    assert contents(repository, [one] * 5000) == [b"x" * 5000] * 5000


def test_stopping_early_leaves_nothing_behind(repository: Repository) -> None:
    """A reader that has enough ends git and the thread that feeds it."""
    (one,) = store(repository, b"x" * 5000)
    answers = blobs(repository.source(), [one] * 50_000)
    next(answers)
    answers.close()
    no_child_is_left()
    assert threading.active_count() == 1


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_the_id_of_a_blob(tmp_path: Path, algorithm: str) -> None:
    """Our id of some bytes is git's, in both kinds of repository."""
    repository = Repository(tmp_path / algorithm, f"--object-format={algorithm}")
    commit = repository.commit({"a": "text\n"})
    (entry,) = tree(repository.source(), commit)
    assert entry.blob == blob_id(b"text\n", algorithm)
    assert len(entry.blob) == hashlib.new(algorithm).digest_size * 2
    assert visible(repository.source()) == {"a": b"text\n"}


def test_large_file_storage_pointers_are_only_bytes(repository: Repository) -> None:
    """A pointer is shown as it is committed; no filter runs for it."""
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 1\n"
    repository.commit({"a.bin": pointer, ".gitattributes": "*.bin filter=lfs\n"})
    assert visible(repository.source())["a.bin"] == pointer


def test_replaced_objects_keep_their_content(repository: Repository) -> None:
    """An id always means the same bytes, whatever `git replace` says."""
    repository.commit({"a": "one"})
    old, new = store(repository, b"one", b"two")
    repository.git("replace", old, new)
    assert contents(repository, [old]) == [b"one"]


def test_a_shallow_clone(repository: Repository, tmp_path: Path) -> None:
    """Only what is there is known: the last commit in full, its parents not at all."""
    old = repository.commit({"a": "1"})
    new = repository.commit({"a": "2"})
    repository.git("clone", "-q", "--depth=1", repository.root.as_uri(), str(tmp_path / "shallow"))
    source = discover(tmp_path / "shallow")
    assert (state(source).head, visible(source)) == (new, {"a": b"2"})
    with pytest.raises(GitError):
        diff(source, old, new)


@pytest.mark.parametrize("lazy", [True, False])
def test_a_partial_clone_fetches_nothing(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lazy: bool
) -> None:
    """Blobs left on the server are None, and no program is run to get them, with git of any version."""
    if not lazy and not objects._fetches_lazily():
        pytest.skip("this git asks no remote when told so")
    old = repository.commit({"a": "1", "b": "same"})
    new = repository.commit({"a": "2"})
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.git("clone", "-q", "--filter=blob:none", repository.root.as_uri(), str(tmp_path / "partial"))
    partial = Repository(tmp_path / "partial")
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    trap.chmod(0o755)
    partial.git("config", "remote.origin.uploadpack", str(trap))
    partial.git("config", "protocol.file.allow", "always")
    source = partial.source()
    entries = {entry.path: entry for entry in tree(source, old)}
    assert [data for _, data in blobs(source, [entries["a"].blob, entries["b"].blob])] == [None, b"same"]
    assert visible(source) == {"a": b"2", "b": b"same"}
    assert diff(source, old, new)[0].keys() == {"a"}
    assert not (tmp_path / "ran").exists()
