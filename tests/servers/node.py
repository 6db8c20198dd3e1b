"""How does a server run from a folder? Started on this machine only, known by process and time of start, stopped."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from servers.layout import QUICK, Server, Unavailable, home_of, said

_PATIENCE = 240.0  # seconds; on a machine that does much else a start takes twenty
_NOBODY = 65_534
_RECORD = "node.json"


def start(server: Server, folder: Path, *, port: int = 0, options: Sequence[str] = QUICK) -> str:
    """The address of the node that runs from the folder; Unavailable when there can be none."""
    if there := running(folder):
        return str(there["url"])
    java, home = find_java(server), home_of(server)
    port = port or _free_port()
    (folder / "pid").unlink(missing_ok=True)
    server.configure(folder, port)
    command, environment = server.command(java, home, folder, options)
    begun, log = time.monotonic(), folder / "logs" / "output.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*_not_as_root(home, folder), *command],
            cwd=home, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    try:
        _wait(server, process, folder, url)
    except Unavailable:
        stop(folder)
        raise
    said(f"{server.name} {server.version}: {url} after {time.monotonic() - begun:.1f} s, log in {folder / 'logs'}")
    return url


def running(folder: Path) -> dict[str, object] | None:
    """What is noted of the node that runs from the folder; None when none does."""
    try:
        noted: dict[str, object] = json.loads((folder / _RECORD).read_text())
    except (OSError, ValueError):
        return None
    return noted if begun_at(int(str(noted["pid"]))) == noted["begun"] else None


def stop(folder: Path, *, patience: float = 30.0) -> bool:
    """Whether one ran. Only the process that was started from the folder is ended."""
    there = running(folder)
    (folder / _RECORD).unlink(missing_ok=True)
    if there is None:
        return False
    pid = int(str(there["pid"]))
    for ending, seconds in ((signal.SIGTERM, patience), (signal.SIGKILL, 5.0)):
        os.kill(pid, ending)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if begun_at(pid) != there["begun"]:
                return True
            time.sleep(0.05)
    raise Unavailable(f"the process {pid} does not end")


def begun_at(pid: int) -> str | None:
    """What tells a process from a later one of the same number; None when it has ended."""
    try:
        state, *rest = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return None
    return None if state in "ZX" else rest[18]


def find_java(server: Server) -> Path:
    """A java that the server runs on: of JAVA_HOME, the PATH, or beside those."""
    homes = [os.environ.get("JAVA_HOME"), *sorted(map(str, Path("/usr/lib/jvm").glob("*")))]
    found = [Path(home, "bin", "java") for home in homes if home]
    found[1:1] = [Path(one).resolve() for one in (shutil.which("java"),) if one]
    oldest, newest = server.java
    tried = []
    for java in found:
        version = _version_of(java)
        if version is not None and oldest <= version <= newest:
            return java
        if version is not None:
            tried.append(f"{version} in {java.parent.parent}")
    raise Unavailable(
        f"{server.name} {server.version} needs a Java from {oldest} to {newest}; found: {', '.join(tried) or 'none'}. "
        "Install one, or set JAVA_HOME"
    )


def _version_of(java: Path) -> int | None:
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30).stderr
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(\d+)', told)
    return int(found[1]) if found else None


def _not_as_root(home: Path, folder: Path) -> list[str]:
    """What goes before the command: servers refuse to run as root, and are run as another user then.

    In a name space of users root's own files still belong to the server; where those are forbidden, nobody has to
    reach the folders.
    """
    if os.geteuid() != 0:
        return []
    apart = ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--"]
    if _works([*apart, "true"]):
        return apart
    nobody = ["setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", "--"]
    subprocess.run(["chown", "-R", f"{_NOBODY}:{_NOBODY}", str(folder)], check=True)
    if _works([*nobody, "ls", str(home / "lib"), str(folder)]):
        return nobody
    raise Unavailable(
        f"servers do not run as root, and here nobody else can reach {home} and {folder}; run the tests as another "
        "user, or set XDG_CACHE_HOME to a folder that all can pass"
    )


def _works(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(server: Server, process: subprocess.Popen[bytes], folder: Path, url: str) -> None:
    """Until it answers. A launcher ends well and leaves the number of the server's process."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        code = process.poll()
        pid = _noted_pid(folder) if code == 0 else process.pid
        begun = None if pid is None else begun_at(pid)
        if begun is None and code is None:
            continue  # it has ended since it was looked at; the next look tells how
        if begun is None:
            raise Unavailable(f"{server.name} ended at once ({code}):\n{_last_lines(folder)}")
        noted = {"pid": pid, "begun": begun, "url": url}
        (folder / _RECORD).write_text(json.dumps(noted))
        if _answers(url) and not (code is None and (folder / "pid").exists()):
            return
        time.sleep(0.1)
    raise Unavailable(f"{server.name} does not answer after {_PATIENCE:.0f} s:\n{_last_lines(folder)}")


def _noted_pid(folder: Path) -> int | None:
    try:
        return int((folder / "pid").read_text())
    except (OSError, ValueError):
        return None


def _answers(url: str) -> bool:
    try:
        with build_opener(ProxyHandler({})).open(f"{url}/_cluster/health?wait_for_status=yellow&timeout=1s", timeout=5):
            return True
    except (URLError, OSError):
        return False


def _last_lines(folder: Path, n: int = 15) -> str:
    logs = [folder / "logs" / name for name in ("output.log", "server.log")]
    return "\n".join(line for log in logs for line in _lines(log)[-n:])


def _lines(log: Path) -> Iterator[str] | list[str]:
    return log.read_text(errors="replace").splitlines() if log.exists() else []
