"""What time is it, and how is waited? The only clock of this room, so that tests need not wait."""

from __future__ import annotations

import time
from threading import Event


class Clock:
    """The clock of this machine; tests have one of their own with the same methods."""

    def now(self) -> float:
        """Seconds that never go back."""
        return time.monotonic()

    def wall(self) -> float:
        """Seconds since 1970, as dates count them."""
        return time.time()

    def sleep(self, seconds: float, until: Event | None = None) -> None:
        """Wait so long, or until something happens."""
        if until is None:
            time.sleep(seconds)
        else:
            until.wait(seconds)
