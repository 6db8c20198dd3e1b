"""How does one server serve all processes of a run of tests? Begun by the first, behind it, ended after the last.

A guard of its own starts the node and stops it when none of the processes that use it lives any more, however they
ended. So nobody has to give back anything.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from servers.layout import Server, Unavailable, locked
from servers.node import begun_at, start, stop

_PATIENCE = 900.0  # seconds for a first start, which downloads
_LOOK = 0.3  # seconds between two looks at who lives


def begin(server: Server) -> None:
    """From now on this process uses the server; returns at once."""
    folder = _folder(server)
    (folder / "users").mkdir(parents=True, exist_ok=True)
    with locked(_lock(folder)):
        (folder / "users").mkdir(parents=True, exist_ok=True)
        _note(folder / "users" / str(os.getpid()), os.getpid())
        if not _lives(folder / "guard"):
            _start_guard(server, folder)


def url(server: Server) -> str:
    """The address, once it answers; Unavailable with what the guard says when it does not come."""
    begin(server)
    folder, deadline = _folder(server), time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        if (folder / "url").exists():
            return (folder / "url").read_text()
        if not _lives(folder / "guard"):
            break
        time.sleep(0.1)
    raise Unavailable(f"there is no {server.name} for the tests:\n{(folder / 'guard.log').read_text(errors='replace')}")


def guard(server: Server, folder: Path) -> None:
    """Keeps a node as long as somebody uses it, and removes all of it then."""
    address = folder / "url.new"
    address.write_text(start(server, folder))
    address.rename(folder / "url")
    while _is_used(folder):
        time.sleep(_LOOK)
    stop(folder)
    shutil.rmtree(folder, ignore_errors=True)
    _lock(folder).unlink(missing_ok=True)


def _is_used(folder: Path) -> bool:
    """The last look is under the lock, so that nobody begins to use what ends."""
    if any(map(_lives, (folder / "users").iterdir())):
        return True
    with locked(_lock(folder)):
        if any(map(_lives, (folder / "users").iterdir())):
            return True
        for name in ("url", "guard"):
            (folder / name).unlink(missing_ok=True)
    return False


def _start_guard(server: Server, folder: Path) -> None:
    (folder / "url").unlink(missing_ok=True)
    command = [sys.executable, str(Path(__file__).parent), server.name, "guard", "--data", str(folder)]
    with (folder / "guard.log").open("wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    _note(folder / "guard", process.pid)


def _folder(server: Server) -> Path:
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    return Path(tempfile.gettempdir(), f"callsite-{server.name}-{run}")


def _lock(folder: Path) -> Path:
    return folder.with_suffix(".lock")


def _note(file: Path, pid: int) -> None:
    file.write_text(f"{pid} {begun_at(pid)}")


def _lives(file: Path) -> bool:
    try:
        pid, begun = file.read_text().split()
    except (OSError, ValueError):
        return False
    return begun_at(int(pid)) == begun
