"""What does a file of the work tree look like and hold right now; it must not know of git or its objects."""

from __future__ import annotations

import os
import stat

from callsite.values import dataclass

#: Without a limit of the caller a file is still read in one piece, so this bounds memory.
LARGEST_READ = 1 << 30

_OPEN_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dirty:
    """A visible file that differs from the commit; the figures change whenever its content may have changed."""

    path: str
    size: int
    mtime_ns: int
    inode: int
    ctime_ns: int = 0  #: also changes when a tool sets the modification time back


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a file could not be read."""

    path: str
    kind: str  #: gone, link, special, unreadable, too large
    reason: str


def look(root: str, path: str) -> Dirty | Problem:
    """The file at a path below root as `lstat` sees it."""
    try:
        return from_stat(path, os.lstat(f"{root}/{path}"))
    except (OSError, ValueError) as error:
        return _problem(path, error)


def from_stat(path: str, found: os.stat_result) -> Dirty | Problem:
    """The same for a file that was looked at already."""
    if not stat.S_ISREG(found.st_mode):
        return _not_regular(path, found.st_mode)
    return Dirty(
        path=path, size=found.st_size, mtime_ns=found.st_mtime_ns, inode=found.st_ino, ctime_ns=found.st_ctime_ns
    )


def read(root: str, path: str, max_size: int = LARGEST_READ) -> bytes | Problem:
    """The bytes of a file below root, never through a symbolic link; root must be a real path."""
    folder = os.path.join(root, os.path.dirname(path))
    if os.path.isabs(path) or ".." in path.split("/") or os.path.realpath(folder) != os.path.normpath(folder):
        return Problem(path=path, kind="link", reason="lies behind a symbolic link or outside the tree")
    place = os.path.join(root, path)
    try:
        return _not_regular(path, stat.S_IFLNK) if os.path.islink(place) else _read_regular(place, path, max_size)
    except (OSError, ValueError) as error:
        return _problem(path, error)


def _read_regular(place: str, path: str, max_size: int) -> bytes | Problem:
    file = os.open(place, _OPEN_FLAGS)  # O_NONBLOCK among them: opening a pipe must not wait for its writer
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            return _not_regular(path, found.st_mode)
        if found.st_size > max_size:
            return _too_large(path, found.st_size, max_size)
        return _read_open(file, path, found.st_size, max_size)
    finally:
        os.close(file)


def _read_open(file: int, path: str, size: int, max_size: int) -> bytes | Problem:
    """To the end of the file, wherever that is by now: it may have grown or shrunk since its size was asked."""
    pieces, n_read = [], 0
    while piece := os.read(file, max(size - n_read, 0) + 1):
        pieces.append(piece)
        n_read += len(piece)
        if n_read > max_size:
            return _too_large(path, n_read, max_size)
    return b"".join(pieces)


def _too_large(path: str, size: int, max_size: int) -> Problem:
    return Problem(path=path, kind="too large", reason=f"{size} bytes or more, the limit is {max_size}")


def _not_regular(path: str, mode: int) -> Problem:
    if stat.S_ISLNK(mode):
        return Problem(path=path, kind="link", reason="symbolic link")
    return Problem(path=path, kind="special", reason="directory" if stat.S_ISDIR(mode) else "not a regular file")


def _problem(path: str, error: OSError | ValueError) -> Problem:
    gone = isinstance(error, FileNotFoundError | NotADirectoryError | ValueError)  # ValueError: no name has a zero byte
    reason = getattr(error, "strerror", None) or str(error)
    return Problem(path=path, kind="gone" if gone else "unreadable", reason=reason)
