"""AppMap's context search (`@appland/appmap` of npm) on a checkout with a recording: what does it show of the code?

Its command is asked for the context alone: `navie "@context /noterms …"` needs no language model and no network. With
a model it would let that choose the words to look for; here they are the question's own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.engines.contract import Place

RECORDINGS = "tmp/appmap"  #: its default, and a folder that its file search leaves out
LONGEST = 180.0  #: seconds for one command
_CHARACTERS_PER_TOKEN = 3  # so it counts `/tokenlimit`
_CODE = "code-snippet"
_LOCATION = re.compile(r"(?P<path>.+?)(?::(?P<first>\d+)(?:-(?P<last>\d+))?)?")
_NOTHING_PRIVATE = "no-file-has-this-name\n"  # its own list hides config*.py, settings*.py and more
_LEFT_OF_AN_ERROR = 200  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One piece of a context: code, a diagram, a query; each takes its characters."""

    kind: str
    content: str
    location: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The code that an answer shows within a budget, the seconds that it took, and what went wrong."""

    places: tuple[Place, ...]
    seconds: float
    problem: str = ""


class AppMapContext:
    """A copy of a checkout with one recording, indexed by AppMap's own command; then questions to it."""

    name = "appmap context"

    def __init__(self, script: str) -> None:
        self._script = Path(script).resolve()
        self._node = shutil.which("node") or "node"
        package = json.loads((self._script.parents[1] / "package.json").read_text("utf-8"))
        self.version = str(package["version"])

    def prepare(self, folder: Path, recording: Path, workshop: Path) -> Context:
        """Lay out `workshop/checkout` and index its recording; nothing is written to the folder itself."""
        checkout = workshop / "checkout"
        shutil.copytree(folder, checkout, symlinks=True)
        place = checkout / RECORDINGS / recording.name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(recording, place)
        settings = f"name: benchmark\nlanguage: python\nappmap_dir: {RECORDINGS}\npackages: []\n"
        (checkout / "appmap.yml").write_text(settings, "utf-8")
        private = workshop / "home" / ".appmap" / "navie" / "global-ignore"
        private.parent.mkdir(parents=True)
        private.write_text(_NOTHING_PRIVATE, "utf-8")
        begun = time.perf_counter()
        problem = self._run(["index", "--appmap-dir", RECORDINGS, "-d", "."], workshop)[1]
        return Context(places=(), seconds=time.perf_counter() - begun, problem=problem)

    def ask(self, question: str, *, budget: int, workshop: Path) -> Context:
        """Its answer cut at the budget; one that did not come shows nothing and says why."""
        tokens = -(-budget // _CHARACTERS_PER_TOKEN)
        asked = f"@context /noterms /nofence /format=json /tokenlimit={tokens} {question}"
        begun = time.perf_counter()
        printed, failed = self._run(["navie", asked, "-d", str(workshop / "checkout")], workshop)
        seconds = time.perf_counter() - begun
        items, odd = ((), "") if failed else items_of(printed)
        found = places_within(items, budget=budget, root=workshop / "checkout")
        return Context(places=tuple(found), seconds=seconds, problem=failed or odd)

    def _run(self, arguments: Sequence[str], workshop: Path) -> tuple[str, str]:
        """What a command printed, and why it failed; without names of this machine."""
        try:
            run = subprocess.run(
                [self._node, str(self._script), *arguments],
                cwd=workshop / "checkout",
                env=os.environ | _environment(workshop / "home"),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=LONGEST,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "", f"no answer within {LONGEST:.0f} s"
        except OSError as error:
            return "", f"not started: {error.strerror}"
        if not run.returncode:
            return run.stdout, ""
        last = run.stderr.strip().replace(str(workshop), "…").replace(str(self._script.parents[1]), "@appland/appmap")
        return "", f"exit {run.returncode}: {last[-_LEFT_OF_AN_ERROR:]}"


def _environment(home: Path) -> dict[str, str]:
    """A home of its own, nothing sent anywhere; a model is configured, never reached and never asked."""
    return {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "APPMAP_TELEMETRY_DISABLED": "1",
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
    }


def items_of(printed: str) -> tuple[tuple[Item, ...], str]:
    """The items of an answer in its order, and what was wrong with it; a bad item costs only itself."""
    try:
        told = json.loads(printed)
    except ValueError:
        return (), f"no JSON: {printed.strip()[:_LEFT_OF_AN_ERROR]!r}"
    if not isinstance(told, list):
        return (), f"no list of items: {json.dumps(told)[:_LEFT_OF_AN_ERROR]}"
    items = [_item(one) for one in told]
    n_bad = items.count(None)
    return tuple(item for item in items if item), f"{n_bad} of {len(items)} items without content" if n_bad else ""


def _item(one: Any) -> Item | None:
    if not isinstance(one, dict) or not isinstance(one.get("content"), str):
        return None
    kind, location = one.get("type"), one.get("location")
    return Item(
        kind=kind if isinstance(kind, str) else "",
        content=one["content"],
        location=location if isinstance(location, str) else "",
    )


def places_within(items: Iterable[Item], *, budget: int, root: Path) -> list[Place]:
    """The code among the first `budget` characters of all items; the one that crosses the end keeps its whole lines."""
    found = []
    for item in items:
        shown = item.content if len(item.content) <= budget else _whole_lines(item.content, budget)
        place = _place(item, n_lines=shown.count("\n") + 1, root=root) if shown else None
        if place:
            found.append(place)
        budget -= len(item.content)
        if budget <= 0:
            break
    return found


def _whole_lines(content: str, most: int) -> str:
    """The lines that end within so many characters, without the last line's end."""
    return content[: most + 1].rpartition("\n")[0]


def _place(item: Item, *, n_lines: int, root: Path) -> Place | None:
    match = _LOCATION.fullmatch(item.location)
    if item.kind != _CODE or not match:
        return None
    path = _relative(Path(match["path"]), root)
    first = int(match["first"] or 1)
    last = first + n_lines - 1
    return Place(path=path, first_line=first, last_line=min(last, int(match["last"] or last))) if path else None


def _relative(path: Path, root: Path) -> str:
    """As the checkout names it; some of its locations are absolute. Empty: outside."""
    for base in (root, root.resolve()):
        if path.is_relative_to(base):
            return path.relative_to(base).as_posix()
    return "" if path.is_absolute() else path.as_posix()
