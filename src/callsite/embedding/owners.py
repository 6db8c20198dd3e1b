"""Is whoever claimed something still alive? Each holds a lock on a file of its own, which ends with its process."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from uuid import uuid4


class Owners:
    """One owner, and what it can tell of others beside the same file; without a path it is alone."""

    def __init__(self, path: str | Path | None) -> None:
        """OSError when no file can be made beside it."""
        self.name = uuid4().hex
        self._folder = None if path is None else Path(f"{path}-owners")
        self._file: int | None = None
        if self._folder is not None:
            self._folder.mkdir(exist_ok=True)
            self._file = _locked(self._folder / self.name)
            self._sweep()

    def is_alive(self, name: str) -> bool:
        """Whether the owner of that name still holds its lock; what a dead one left is removed."""
        if name == self.name:
            return True
        if self._folder is None or not name.isalnum():
            return False
        try:
            file = os.open(self._folder / name, os.O_RDWR)
        except OSError:
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        else:
            with suppress(OSError):
                os.unlink(self._folder / name)
            return False
        finally:
            os.close(file)

    def close(self) -> None:
        """What it claimed is void from now on."""
        if self._file is not None and self._folder is not None:
            with suppress(OSError):
                os.unlink(self._folder / self.name)
            os.close(self._file)
            self._file = None

    def _sweep(self) -> None:
        """Files that dead owners left."""
        if self._folder is not None:
            for name in os.listdir(self._folder):
                self.is_alive(name)


def _locked(path: Path) -> int:
    """A file of that name and our lock on it; somebody may sweep it away before we have it."""
    while True:
        file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(file, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.stat(path).st_ino == os.fstat(file).st_ino:
                return file
        os.close(file)
