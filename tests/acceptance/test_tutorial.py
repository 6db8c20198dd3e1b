"""The tutorial is true: whoever does what it says sees what it shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_tutorial_prints_what_it_shows() -> None:
    """Its files are saved, its commands are run; `scripts/tutorial` writes the page anew after a wanted change."""
    command = [sys.executable, str(ROOT / "scripts" / "tutorial"), "--check"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
