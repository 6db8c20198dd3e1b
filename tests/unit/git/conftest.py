"""Every test of the git room is cut off from the configuration of whoever runs it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from git_repositories import QUIET, Repository


@pytest.fixture(autouse=True)
def quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No configuration, identity or repository of the person who runs the tests comes in."""
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    for name, value in {**QUIET, "HOME": str(tmp_path / "home")}.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """An empty repository whose HEAD is unborn."""
    return Repository(tmp_path / "repository")
