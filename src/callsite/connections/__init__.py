"""Which stores are known, which one is used, and how do chunks get from one to another?"""

from __future__ import annotations

from callsite.connections.copying import Copied, copied, differences
from callsite.connections.engines import ENGINES, opened
from callsite.connections.record import Connection, Connections

__all__ = ["ENGINES", "Connection", "Connections", "Copied", "copied", "differences", "opened"]
