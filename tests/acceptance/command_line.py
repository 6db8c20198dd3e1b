"""The command line from outside: as a process, as a call in this process, in a real terminal."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

import callsite
from callsite.cli.main import main

_PATIENT = (
    "import sys; from callsite.cli import main, progress;"
    " progress._PATIENCE_SECONDS = {}; sys.exit(main.main(sys.argv[1:]))"
)
SOURCES = str(Path(callsite.__file__).resolve().parents[1])

GIT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "A. Person",
    "GIT_AUTHOR_EMAIL": "person@example.org",
    "GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "A. Person",
    "GIT_COMMITTER_EMAIL": "person@example.org",
    "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z",
}

SHOP = {
    "README.md": "# Shop\n\nSells things.\n\n## Sessions\n\nA session expires after an hour.\n",
    "shop/session.py": '''"""Sessions of visitors."""

import time


class SessionStore:
    """Keeps sessions until they expire."""

    def __init__(self, seconds: int = 3600) -> None:
        self.seconds = seconds
        self.started: dict[str, float] = {}

    def open_session(self, visitor: str) -> None:
        self.started[visitor] = time.time()

    def remove_expired(self) -> int:
        """Remove what has expired; how many sessions that were."""
        limit = time.time() - self.seconds
        old = [visitor for visitor, at in self.started.items() if at < limit]
        for visitor in old:
            del self.started[visitor]
        return len(old)
''',
    "shop/cart.py": '''"""What a visitor wants to buy."""

TAX = 0.19


def total_price(prices: list[float], *, with_tax: bool = True) -> float:
    """The sum of all prices."""
    total = sum(prices)
    return total * (1 + TAX) if with_tax else total


def checkout(visitor: str, prices: list[float]) -> str:
    if not prices:
        raise ValueError("the cart is empty")
    return f"{visitor} pays {total_price(prices):.2f}"
''',
    "server/main.go": """package main

import "net/http"

// handleCheckout answers a checkout request.
func handleCheckout(w http.ResponseWriter, r *http.Request) {
\tif r.Method != http.MethodPost {
\t\thttp.Error(w, "checkout needs POST", http.StatusMethodNotAllowed)
\t\treturn
\t}
\tw.WriteHeader(http.StatusOK)
}
""",
    "tests/test_cart.py": """from shop.cart import checkout, total_price


def test_total_price_has_tax():
    assert total_price([100.0]) == 119.0
""",
    "logo.png": "\x89PNG\0\0",
}


def git(root: Path, *arguments: str) -> str:
    """Run git in a folder; what it printed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(["git", *arguments], cwd=root, env=environment | GIT, capture_output=True, check=True)
    return os.fsdecode(done.stdout).strip()


def write(root: Path, files: Mapping[str, str]) -> None:
    """Write files below a folder."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode("latin-1" if name.endswith(".png") else "utf-8"))


def make_shop(root: Path) -> Path:
    """A repository with one commit, the same everywhere, at least two seconds old for every clock."""
    root.mkdir(parents=True)
    write(root, SHOP)
    git(root, "-c", "init.defaultBranch=main", "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Open the shop")
    return root.resolve()


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came out."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a person who has set nothing."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "PYTHONPYCACHEPREFIX") if name in os.environ}
    home.mkdir(exist_ok=True)
    own = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "XDG_CONFIG_HOME": str(home / "config")}
    return kept | GIT | own | {"PYTHONPATH": SOURCES, "TERM": "xterm-256color"} | more


class CommandLine:
    """Runs command lines in a place, as a person there would."""

    def __init__(self, place: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.place = place
        self.home = home
        self._monkeypatch = monkeypatch

    def __call__(
        self,
        *arguments: str,
        here: Path | None = None,
        text: bytes = b"",
        environment_: Mapping[str, str] | None = None,
    ) -> Result:
        """Call it in this process: a hundred times quicker than a new one."""
        for name in [name for name in os.environ if name.startswith(("CALLSITE_", "GIT_", "COLUMNS"))]:
            self._monkeypatch.delenv(name)
        for name, value in environment(self.home, **(environment_ or {})).items():
            self._monkeypatch.setenv(name, value)
        self._monkeypatch.chdir(here or self.place)
        out, err = io.BytesIO(), io.BytesIO()
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        self._monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, write_through=True))
        self._monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(err, write_through=True))
        code = main(list(arguments))
        return Result(code=code, out=_decoded(out.getvalue()), err=_decoded(err.getvalue()))

    def process(
        self, *arguments: str | bytes, here: Path | None = None, text: bytes | None = b"", **more: str
    ) -> Result:
        """Run it as a process of its own."""
        done = subprocess.run(
            [sys.executable, "-m", "callsite", *arguments], cwd=here or self.place, env=environment(self.home, **more),
            input=text, capture_output=True, check=False,
        )  # fmt: skip
        return Result(code=done.returncode, out=_decoded(done.stdout), err=_decoded(done.stderr))

    def in_terminal(
        self,
        *arguments: str,
        columns: int = 80,
        patience: float = 3600.0,
        text: bytes = b"",
        **more: str,
    ) -> Result:
        """Run it in a terminal that shows both streams: `out` is everything that was shown.

        A bar comes after `patience` seconds; by default there is none, however busy the machine is.
        """
        import pty
        import termios

        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, columns))
        process = subprocess.Popen(
            [sys.executable, "-c", _PATIENT.format(patience), *arguments],
            cwd=self.place,
            env=environment(self.home, **more),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        if text:
            os.write(ours, text)
        shown = b"".join(_pieces(ours))
        os.close(ours)
        return Result(code=process.wait(), out=_decoded(shown).replace("\r\n", "\n"), err="")


def _pieces(stream: int):
    while True:
        try:
            piece = os.read(stream, 65_536)
        except OSError:  # Linux says so when the other side has closed
            return
        if not piece:
            return
        yield piece


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
