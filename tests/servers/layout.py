"""Where do servers for tests lie, and how do they get there? Maven fetches, digests are checked, once for all runs.

`${XDG_CACHE_HOME:-~/.cache}/callsite-servers/NAME-VERSION/home` is a server; it is there when `laid-out.json` is.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

#: Options of Java for a server that lives for minutes, and for one whose speed matters and whose start may take longer.
QUICK = ("-Xms512m", "-Xmx512m", "-XX:TieredStopAtLevel=1")
LASTING = ("-Xms2g", "-Xmx2g")
MAVEN_DEPENDENCY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1"


#: Of a node that is alone and heard on this machine only.
_SETTINGS = {
    "cluster.name": "callsite-tests",
    "discovery.type": "single-node",
    "network.host": "127.0.0.1",
    "transport.port": 0,
    "cluster.routing.allocation.disk.threshold_enabled": False,
}


class Unavailable(Exception):
    """There is no server, and why."""


@dataclass(frozen=True, kw_only=True)
class Server:
    """What is known of a server before it runs."""

    name: str
    version: str
    java: tuple[int, int]  #: the oldest and the newest that it runs on
    megabytes: int  #: to be downloaded, once
    room: int  #: megabytes that have to be free for that
    lay_out: Callable[[Path, Path], None]  #: into a new folder, with another one to work in
    configure: Callable[[Path, int], None]  #: the folder of a node, and its port
    #: Of java, home and folder of the node, and options of Java.
    command: Callable[[Path, Path, Path, Sequence[str]], tuple[list[str], dict[str, str]]]


def write_configuration(folder: Path, name: str, port: int, more: Mapping[str, object], logging: str) -> None:
    """The folders and files of a node; `name` is that of its settings, `more` what only this server knows."""
    for part in ("config", "logs", "tmp", "data"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    places = {"http.port": port, "path.data": str(folder / "data"), "path.logs": str(folder / "logs")}
    settings = _SETTINGS | places | dict(more)
    lines = [f"{key}: {json.dumps(value)}\n" for key, value in settings.items()]
    (folder / "config" / name).write_text("".join(lines))
    (folder / "config" / "log4j2.properties").write_text(logging)


def said(text: str) -> None:
    """Tells whoever waits."""
    print(text, file=sys.stderr, flush=True)


def cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base, "callsite-servers").absolute()


def home_of(server: Server) -> Path:
    """The folder of a server, fetched when it is not there."""
    folder = cache() / f"{server.name}-{server.version}"
    home, marker = folder / "home", folder / "laid-out.json"
    if not marker.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / "lock"):
            if not marker.exists():
                _fetch(server, folder, home, marker)
    return home


def _fetch(server: Server, folder: Path, home: Path, marker: Path) -> None:
    if not shutil.which("mvn"):
        raise Unavailable(f"{server.name}: mvn is not on the PATH; install Maven, which fetches the server, once")
    if shutil.disk_usage(folder).free < server.room * 2**20:
        raise Unavailable(f"{server.name}: {server.room} MB have to be free under {folder}")
    begun, partial, work = time.monotonic(), folder / "home.partial", folder / "work"
    said(f"{server.name} {server.version}: downloading {server.megabytes} MB from Maven Central to {folder}, once")
    for one in (partial, work, home):
        shutil.rmtree(one, ignore_errors=True)
    partial.mkdir()
    work.mkdir()
    server.lay_out(partial, work)
    partial.rename(home)
    shutil.rmtree(work)
    seconds = round(time.monotonic() - begun, 1)
    marker.write_text(json.dumps({"server": server.name, "version": server.version, "seconds": seconds}))
    said(f"{server.name} {server.version}: laid out in {home} after {seconds} s")


def maven(work: Path, *arguments: str) -> None:
    """Runs Maven with a repository of its own, so that nothing large stays behind."""
    command = ["mvn", "-q", "-B", "-ntp", "-C", f"-Dmaven.repo.local={work / 'repository'}", *arguments]
    done = subprocess.run(command, cwd=work, stdin=subprocess.DEVNULL, stdout=sys.stderr, stderr=sys.stderr)
    if done.returncode:
        raise Unavailable(f"Maven ended with {done.returncode}: {' '.join(command)}; what it says is above")


def check_digest(expected: str, files: Iterable[Path]) -> None:
    """Unavailable when the files are not those that were tried; of several, names and digests are taken together."""
    digests = [(file.name, _digest(file)) for file in sorted(files, key=lambda file: file.name)]
    lines = "".join(f"{digest}  {name}\n" for name, digest in digests)
    found = digests[0][1] if len(digests) == 1 else hashlib.sha256(lines.encode()).hexdigest()
    if found != expected:
        raise Unavailable(f"the SHA-256 of {digests[0][0]} and {len(digests) - 1} more is {found}, not {expected}")


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """One process at a time."""
    with file.open("w") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
