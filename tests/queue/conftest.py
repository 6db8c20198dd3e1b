"""Each test of the contract runs on every queue, on a table of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "contract"))
pytest.register_assert_rewrite("queues", "plain")

from queues import PLACES  # noqa: E402


@pytest.fixture(params=PLACES)
def place(request):
    """A table without entries, to be opened as often as wanted."""
    with PLACES[request.param]() as made:
        yield made


@pytest.fixture
def queue(place):
    return place.open()


@pytest.fixture
def clock(place):
    return place.clock
