"""Repositories for the tests of the indexing room: those of the git room's tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "faults"))
