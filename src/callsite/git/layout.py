"""Where are the parts of a git repository, as its own small files tell it; no process is run unless they leave it open.

It must not know of commits, files or the caller's question.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from callsite.errors import GitError
from callsite.git import process
from callsite.values import dataclass

#: Longer than any of the small files that matter here.
_LONGEST = 1 << 16


_HEX = frozenset(b"0123456789abcdef")
_SHORTEST_ID = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A repository's places; work_tree is "" if it has none, broken says in words why git cannot read it."""

    work_tree: str
    git_dir: str
    common_dir: str
    broken: str = ""


def locate(start: str) -> Layout | None:
    """The innermost repository around a real directory, as git itself would find it."""
    for directory in _upwards(start):
        if layout := _at(directory):
            return layout
    return None


def _upwards(start: str) -> Iterator[str]:
    """The directory and those above it, up to a ceiling that the person set or to the end of the file system."""
    names = os.environ.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep)
    ceilings = {os.path.realpath(name) for name in names if name}
    across = os.environ.get("GIT_DISCOVERY_ACROSS_FILESYSTEM", "").lower() in ("1", "true", "yes", "on")
    device = os.stat(start).st_dev
    while across or os.stat(start).st_dev == device:
        yield start
        parent = os.path.dirname(start)
        if parent == start or parent in ceilings:
            return
        start = parent


def _at(directory: str) -> Layout | None:
    dot_git = os.path.join(directory, ".git")
    if os.path.isfile(dot_git):
        return _from_gitfile(directory, dot_git)
    if os.path.isdir(dot_git):
        return _from_directory(directory, dot_git)
    if _is_git_dir(directory):
        return _from_inside(directory)
    return None


def _from_gitfile(directory: str, gitfile: str) -> Layout | None:
    """A linked work tree, a submodule, or a repository whose git directory was put elsewhere."""
    text = _read(gitfile)
    if not text.startswith(b"gitdir:"):
        return None
    git_dir = os.path.realpath(os.path.join(directory, os.fsdecode(text[7:].strip())))
    if not os.path.isdir(git_dir):
        reason = f"its repository is not at {git_dir} any more; run `git worktree repair` where the repository is now"
        return Layout(work_tree=directory, git_dir=git_dir, common_dir="", broken=reason)
    return _checked(directory, git_dir)


def _from_directory(directory: str, dot_git: str) -> Layout | None:
    git_dir = os.path.realpath(dot_git)
    if _is_git_dir(git_dir) or os.path.isdir(os.path.join(git_dir, "objects")):
        return _checked(directory, git_dir)
    return None


def _from_inside(directory: str) -> Layout:
    """The directory is itself a git directory: bare, or the inside of a work tree's `.git`."""
    holder = os.path.dirname(directory) if os.path.basename(directory) == ".git" else ""
    return _checked(holder, directory)


def _checked(work_tree: str, git_dir: str) -> Layout:
    common_dir = _common_dir(git_dir)
    if not _is_git_dir(git_dir):
        reason = f"{git_dir} is damaged (no valid HEAD, objects or refs); run `git fsck` there"
        return Layout(work_tree=work_tree or git_dir, git_dir=git_dir, common_dir="", broken=reason)
    if common_dir != git_dir:  # a linked work tree: bare and worktree of the shared configuration are not about it
        return Layout(work_tree=work_tree, git_dir=git_dir, common_dir=common_dir)
    return Layout(work_tree=_work_tree(work_tree, git_dir), git_dir=git_dir, common_dir=common_dir)


def _work_tree(found: str, git_dir: str) -> str:
    """What the configuration makes of the directory that was found; "" for a bare repository."""
    told = _told(_configuration(git_dir))
    if not told:
        return found
    if told.keys() == {b"bare"} and told[b"bare"] in (b"true", b"false"):
        return "" if told[b"bare"] == b"true" else found
    if configured := _ask(git_dir, "core.worktree"):
        return os.path.realpath(os.path.join(git_dir, configured))
    return "" if _ask(git_dir, "core.bare") == "true" else found


def _told(configuration: bytes) -> dict[bytes, bytes]:
    """Lines that may decide the layout, by key: `bare` and `worktree` of any section, and includes of other files."""
    told = {}
    for line in configuration.lower().splitlines():
        key, _, value = line.rpartition(b"]")[2].partition(b"=")
        if key.strip() in (b"bare", b"worktree"):
            told[key.strip()] = value.strip()
        elif line.lstrip().startswith(b"[include"):
            told[b"include"] = b""
    return told


def _ask(git_dir: str, key: str) -> str:
    """A setting as git reads it, includes followed; the file of this work tree alone goes before the shared one."""
    for name in ("config.worktree", "config"):
        file = os.path.join(git_dir, name)
        if os.path.isfile(file):
            kind = "--path" if key.endswith("worktree") else "--bool"
            try:
                found = process.run(git_dir, "config", "--file", file, "--includes", kind, "--get", key)
            except GitError:  # no git at all: whoever reads the files will say so
                return ""
            if found.code == 0:
                return os.fsdecode(found.out.removesuffix(b"\n"))
    return ""


def _configuration(git_dir: str) -> bytes:
    return _read(os.path.join(git_dir, "config")) + b"\n" + _read(os.path.join(git_dir, "config.worktree"))


def _common_dir(git_dir: str) -> str:
    told = _read(os.path.join(git_dir, "commondir")).strip()
    return os.path.realpath(os.path.join(git_dir, os.fsdecode(told))) if told else git_dir


def _is_git_dir(directory: str) -> bool:
    """The test that git itself makes."""
    common_dir = _common_dir(directory)
    parts = (os.path.join(common_dir, name) for name in ("objects", "refs"))
    return _is_head(_head(directory)) and all(map(os.path.isdir, parts))


def _is_head(text: bytes) -> bool:
    if text.startswith(b"ref:"):
        return text[4:].lstrip().startswith(b"refs/")
    return len(text) >= _SHORTEST_ID and _HEX.issuperset(text[:_SHORTEST_ID])


def _head(directory: str) -> bytes:
    name = os.path.join(directory, "HEAD")
    if os.path.islink(name):  # very old repositories: HEAD links to the branch
        return b"ref: " + os.fsencode(os.readlink(name))
    return _read(name)


def _read(name: str) -> bytes:
    try:
        with open(name, "rb") as file:
            return file.read(_LONGEST)
    except OSError:
        return b""
