"""The strange provider is kept with the faults, which use it too."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "faults"))
