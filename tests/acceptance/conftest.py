"""What acceptance tests work with: a small shop under version control, and the command as a process or as a call."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import CommandLine, make_shop


@pytest.fixture(scope="session")
def shop_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shop, made once; tests that change it take `shop`."""
    return make_shop(tmp_path_factory.mktemp("shops") / "shop")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A shop of one's own."""
    return make_shop(tmp_path / "shop")


@pytest.fixture(scope="session")
def home_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder that all tests without changes share, with the index in it."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def ask(shop_once: Path, home_once: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line, called in the shared shop."""
    return CommandLine(shop_once, home_once, monkeypatch)


@pytest.fixture
def ask_alone(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line, called in a shop and a home of one's own."""
    return CommandLine(shop, tmp_path / "home", monkeypatch)
