"""What does a benchmark want of an engine? Places for questions, or a command line that answers one question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A span of an answer; path relative to the folder that was asked or to its repository."""

    path: str
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """What is asked: a folder, or the state of a repository at one commit."""

    folder: Path
    commit: str = ""


class PeerFailed(Exception):
    """A peer can't answer about a checkout; it counts as having found nothing there."""


class Engine(Protocol):
    """What a run was measured with."""

    name: str
    version: str


class Ranker(Engine, Protocol):
    """An engine that ranks places."""

    reads_commits: bool  #: False: it gets the files of a commit in a folder of their own

    def rank(
        self, checkout: Checkout, questions: Sequence[str], *, n: int, budget: int | None = None
    ) -> list[list[Place]]:
        """The places for each question, best first; an engine that knows no budget ignores it."""


class Program(Engine, Protocol):
    """An engine that is started for each question."""

    def command(self, question: str, folder: Path) -> list[str]:
        """What is started."""

    def environment(self, home: Path) -> dict[str, str]:
        """Variables that make it keep everything below `home`."""
