"""A clock for tests: waiting takes no time, and is noted."""

from __future__ import annotations

from threading import Event, Lock


class PatientClock:
    """Its time goes on only when somebody waits."""

    def __init__(self, wall: float = 1_800_000_000.0) -> None:
        self._lock = Lock()
        self._now = 0.0
        self._wall = wall
        self.waits: list[float] = []

    def now(self) -> float:
        return self._now

    def wall(self) -> float:
        return self._wall + self._now

    def sleep(self, seconds: float, until: Event | None = None) -> None:
        with self._lock:
            self.waits.append(seconds)
            self._now += seconds
