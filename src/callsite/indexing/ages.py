"""Has a source file changed since a recording was made? Times of files say no more than when they were written here.

A fresh checkout makes every file younger than the recordings that came with it; git tells which are as they were.
"""

from __future__ import annotations

import os
import re
from functools import cached_property

from callsite.errors import GitError
from callsite.git import process


class Ages:
    """What is known of one root at one moment; git is asked when a file is younger than a recording, and once."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._written: dict[str, int] = {"": 0}
        self._differing: dict[str, frozenset[str] | None] = {"": None}

    def is_changed(self, path: str, *, recorded_ns: int, commit: str) -> bool:
        """Whether a file differs from what a recording saw; `commit` is what it says was checked out, "" for unknown.

        What git does not hold has changed when it was written later.
        """
        if self._written_ns(path) <= recorded_ns:
            return False
        own = self._own(path)
        if own not in self._tracked:
            return True
        differing = self._differing_from(commit)
        if differing is not None:
            return own in differing
        differing = self._differing_from("HEAD")
        return differing is None or own in differing or self._head_ns > recorded_ns

    def _own(self, path: str) -> str:
        """The path as git writes it: from the root, with slashes."""
        whole = os.path.normpath(os.path.join(self._root, path))
        return os.path.relpath(whole, self._root).replace(os.sep, "/")

    def _written_ns(self, path: str) -> int:
        if path not in self._written:
            try:
                self._written[path] = os.stat(os.path.join(self._root, path)).st_mtime_ns
            except (OSError, ValueError):
                self._written[path] = 0
        return self._written[path]

    @cached_property
    def _tracked(self) -> frozenset[str]:
        return frozenset((self._git("ls-files", "-z") or "").split("\0"))

    @cached_property
    def _head_ns(self) -> int:
        """When the commit was made that is checked out."""
        made = (self._git("log", "-1", "--format=%ct", "HEAD", "--") or "").strip()
        return int(made) * 1_000_000_000 if made.isdigit() else 0

    def _differing_from(self, commit: str) -> frozenset[str] | None:
        """The tracked files that differ from those of a commit; None when git does not know it."""
        if commit not in self._differing:
            is_safe = commit == "HEAD" or re.fullmatch(r"[0-9a-f]{7,64}", commit)
            arguments = ("diff", "--name-only", "--no-ext-diff", "--no-renames", "--relative", "-z", commit, "--")
            found = self._git(*arguments) if is_safe else None
            self._differing[commit] = None if found is None else frozenset(found.split("\0"))
        return self._differing[commit]

    def _git(self, *arguments: str) -> str | None:
        """What git prints in the root; None when it fails, or there is none."""
        try:
            found = process.run(self._root, *arguments)
        except GitError:
            return None
        return os.fsdecode(found.out) if found.code == 0 else None
