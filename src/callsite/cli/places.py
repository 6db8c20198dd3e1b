"""How does a path of a source look from where the user stands, and which path of the source does he mean?"""

from __future__ import annotations

import os

from callsite.errors import SourceError


class Places:
    """Translates paths between a source and the current directory."""

    def __init__(self, root: str, *, is_bare: bool) -> None:
        self._root = root
        self._here = root if is_bare else os.path.realpath(current_directory())
        self._is_near = _is_below(self._here, root) or _is_below(root, self._here)

    def shown(self, path: str) -> str:
        """A path that can be opened from the current directory; the path inside the repository for a bare one."""
        if self._here == self._root:
            return path
        full = os.path.join(self._root, path)
        return os.path.relpath(full, self._here) if self._is_near else full

    def meant(self, place: str) -> str:
        """The path inside the source of a `path` or `path:line`: seen from here if it exists so, else from the root."""
        path, colon, line = place.rpartition(":")
        if not path or not line.isdecimal():
            path, colon, line = place, "", ""
        full = os.path.normpath(os.path.join(self._here, path))
        if os.path.lexists(full) and _is_below(full, self._root):
            path = os.path.relpath(full, self._root)
        return path.replace(os.sep, "/").removeprefix("./") + colon + line


def _is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def current_directory() -> str:
    """Where the user stands; SourceError when that place was removed."""
    try:
        return os.getcwd()
    except OSError as error:
        raise SourceError(f"the current directory can't be read ({error.strerror}); go to one that exists") from error
