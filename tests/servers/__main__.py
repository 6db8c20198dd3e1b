"""Starts and stops real servers: `python tests/servers elasticsearch start --data DIR`."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).absolute().parents[1])

from servers import elasticsearch_server, opensearch_server  # noqa: E402
from servers.layout import LASTING, QUICK, Unavailable, home_of  # noqa: E402
from servers.node import start, stop  # noqa: E402
from servers.shared import guard  # noqa: E402

SERVERS = {one.SERVER.name: one.SERVER for one in (elasticsearch_server, opensearch_server)}


def main() -> str:
    """What goes wrong, "" for nothing."""
    parser = argparse.ArgumentParser(prog="python tests/servers", description=__doc__)
    parser.add_argument("server", choices=SERVERS)
    parser.add_argument("command", choices=("fetch", "start", "stop", "guard"), help="guard: for runs of tests")
    parser.add_argument("--data", type=Path, help="the folder of the node; what it holds is kept")
    parser.add_argument("--port", type=int, default=0, help="0: any that is free")
    parser.add_argument("--lasting", action="store_true", help="start: more memory and the whole compiler, to measure")
    parser.add_argument("--wipe", action="store_true", help="after stop: remove the folder")
    asked = parser.parse_args()
    if asked.command != "fetch" and asked.data is None:
        parser.error("--data is needed")
    try:
        _do(asked)
    except Unavailable as problem:
        return str(problem)
    return ""


def _do(asked: argparse.Namespace) -> None:
    server, folder = SERVERS[asked.server], asked.data and asked.data.absolute()
    match asked.command:
        case "fetch":
            print(home_of(server))
        case "start":
            print(start(server, folder, port=asked.port, options=LASTING if asked.lasting else QUICK))
        case "guard":
            guard(server, folder)
        case "stop":
            print("stopped" if stop(folder) else "nothing runs from there")
            if asked.wipe and (folder / "config").is_dir():
                shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main() or 0)
