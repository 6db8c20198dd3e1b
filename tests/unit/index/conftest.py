"""An empty index for each test."""

from __future__ import annotations

import pytest
from index_parts import Index


@pytest.fixture
def index(tmp_path):
    return Index(tmp_path)
