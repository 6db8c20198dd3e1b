"""May the next request go now? Requests and tokens of any 60 seconds are bounded, and a pause holds everybody back."""

from __future__ import annotations

from collections import deque
from threading import Event, Lock

from callsite.embedding.clock import Clock

_WINDOW = 60.0  # seconds


class Pace:
    """Lets requests through, for all threads that share it; 0 is no limit."""

    def __init__(self, clock: Clock, *, requests: int, tokens: int) -> None:
        self._clock = clock
        self._requests = requests
        self._tokens = tokens
        self._lock = Lock()
        self._gone: deque[tuple[float, int]] = deque()  # when, with how many tokens, in the last window
        self._n_tokens = 0
        self._paused_until = 0.0

    def wait(self, n_tokens: int, stop: Event) -> None:
        """Until a request with so many tokens may go, or the end has come; it counts as gone then."""
        while not stop.is_set() and (seconds := self._book(n_tokens)) > 0:
            self._clock.sleep(seconds, stop)

    def pause(self, seconds: float) -> None:
        """Nobody goes for so long."""
        with self._lock:
            self._paused_until = max(self._paused_until, self._clock.now() + seconds)

    def _book(self, n_tokens: int) -> float:
        """0 when the request went; else after how many seconds to ask again."""
        with self._lock:
            now = self._clock.now()
            while self._gone and self._gone[0][0] <= now - _WINDOW:
                self._n_tokens -= self._gone.popleft()[1]
            if self._paused_until > now:
                return self._paused_until - now
            if self._gone and not self._has_room(n_tokens):  # alone, a request larger than the limit goes too
                return self._gone[0][0] + _WINDOW - now
            if self._requests or self._tokens:
                self._gone.append((now, n_tokens))
                self._n_tokens += n_tokens
            return 0.0

    def _has_room(self, n_tokens: int) -> bool:
        if self._requests and len(self._gone) >= self._requests:
            return False
        return not self._tokens or self._n_tokens + n_tokens <= self._tokens
