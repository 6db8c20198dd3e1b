"""A small library of made-up code, and an engine on it that all tests of the room share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from library import LIBRARY, write

import callsite


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[callsite.Engine]:
    """An engine on the library, a plain folder."""
    root = tmp_path_factory.mktemp("library") / "library"
    with callsite.open(write(root, LIBRARY), home=str(tmp_path_factory.mktemp("indexes"))) as opened:
        opened.index()
        yield opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of one's own, for other files."""
    return tmp_path / "root"
