"""Where are the parts of a git repository, as its own small files tell it; no process is run unless they leave it open.

It must not know of commits, files or the caller's question.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from callsite.git import process

_HEAD = re.compile(rb"ref: +refs/|[0-9a-f]{40}")

#: `core.worktree` and `core.bare` decide the layout; an include may set them from another file.
_TELLING = re.compile(rb"(?im)^\s*(?:\[core[^\]\n]*\]\s*)?(worktree|bare)\s*(?:=|$)|^\s*\[(include)")

_BARE = re.compile(rb"(?im)^\s*(?:\[core\]\s*)?bare\s*(?:=\s*\"?(true|yes|on|1)\b|$)")

#: Every version reads the first few bytes of these files only; a longer one is something else.
_LONGEST = 1 << 16


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
    told = {word.lower() for match in _TELLING.finditer(_configuration(git_dir)) for word in match.groups() if word}
    if told <= {b"bare"} and not _is_bare(git_dir):
        return found
    if told <= {b"bare"}:
        return ""
    if configured := _ask(git_dir, "core.worktree"):
        return os.path.realpath(os.path.join(git_dir, configured))
    return "" if _ask(git_dir, "core.bare") == "true" else found


def _is_bare(git_dir: str) -> bool:
    return _BARE.search(_configuration(git_dir)) is not None


def _ask(git_dir: str, key: str) -> str:
    """A setting as git reads it, includes followed; the file of this work tree alone goes before the shared one."""
    for name in ("config.worktree", "config"):
        file = os.path.join(git_dir, name)
        if os.path.isfile(file):
            kind = "--path" if key.endswith("worktree") else "--bool"
            found = process.run(git_dir, "config", "--file", file, "--includes", kind, "--get", key)
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
    return bool(_HEAD.match(_head(directory))) and all(map(os.path.isdir, parts))


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
