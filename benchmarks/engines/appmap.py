"""AppMap's file search (`@appland/search` of npm) as a process."""

from __future__ import annotations

import json
import shutil
from pathlib import Path


class AppMapProgram:
    """`node cli.js QUESTION -d FOLDER`; it brings its index up to date, then answers."""

    name = "appmap"

    def __init__(self, script: str) -> None:
        self._script = Path(script)
        self._node = shutil.which("node") or "node"
        package = json.loads((self._script.parents[1] / "package.json").read_text("utf-8"))
        self.version = str(package["version"])

    def command(self, question: str, folder: Path) -> list[str]:
        return [self._node, str(self._script), question, "-d", str(folder)]

    def environment(self, home: Path) -> dict[str, str]:
        return {"HOME": str(home), "XDG_CACHE_HOME": str(home)}
