"""What if a request fails? It is waited for, repeated, halved or given up, until each text has an outcome."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from threading import Event, Lock

from callsite.embedding.checking import problems_of
from callsite.embedding.clock import Clock
from callsite.embedding.pace import Pace
from callsite.embedding.packing import Item, batches, halves, shortened
from callsite.embedding.seam import Embedder
from callsite.embedding.values import Policy
from callsite.errors import EmbedderBusy, EmbedderRefused, EmbedderUnreachable, EmbeddingError, InputRefused

_MOST_SHORTENINGS = 6  # halvings of one text: to a sixty-fourth
_MOST_LOST = 5  # texts that fail alone, one after the other, while nothing else succeeds
_SPREAD = 0.5  # a delay differs by up to so much of it

Take = Callable[[Sequence[tuple[Item, "array[float]"]]], None]
Fail = Callable[[Item, str], None]


class Stopped(Exception):
    """The end has come before this was asked; it never leaves the room."""


class Asking:
    """Makes requests for several threads, and ends them all when the embedder as a whole does not do it."""

    def __init__(
        self, embedder: Embedder, policy: Policy, clock: Clock, chance: Callable[[], float], stop: Event
    ) -> None:
        self._embedder = embedder
        self._dims = embedder.limits.dims
        self._most_tokens = embedder.limits.tokens
        self._policy = policy
        self.tries = policy.tries
        self._clock = clock
        self._chance = chance
        self._stop = stop
        self._pace = Pace(clock, requests=policy.requests_per_minute, tokens=policy.tokens_per_minute)
        self._lock = Lock()
        self._error: EmbeddingError | None = None
        self._n_lost = 0
        self._last_success = clock.now()

    def ask(self, batch: list[Item], purpose: str, take: Take, fail: Fail) -> None:
        """Each item is taken or failed; raises what concerns the embedder as a whole."""
        try:
            for part in batches(batch, most_items=0, most_tokens=self._most_tokens):
                _Request(self, self._embedder, purpose, take, fail).settle(part, self.tries)
        except (EmbedderRefused, EmbedderUnreachable) as error:
            with self._lock:
                self._error = self._error or error
            self._stop.set()
            raise

    def ended(self) -> EmbeddingError:
        """Why nothing is asked any more."""
        return self._error or EmbeddingError("embedding was ended before all texts had vectors")

    # what requests report, and wait for

    def begin(self, batch: list[Item]) -> None:
        """When the pace allows it; Stopped after the end."""
        self._pace.wait(sum(item.n_tokens for item in batch), self._stop)
        if self._stop.is_set():
            raise Stopped

    def now(self) -> float:
        return self._clock.now()

    def succeeded(self) -> None:
        with self._lock:
            self._n_lost, self._last_success = 0, self._clock.now()

    def lost(self, error: EmbeddingError) -> None:
        """A text failed alone. It is the embedder's fault when that happens to many, and to all."""
        with self._lock:
            self._n_lost += 1
            if self._n_lost < _MOST_LOST:
                return
        if isinstance(error, EmbedderUnreachable):
            raise error
        raise EmbedderRefused(f"every text is refused; the last time: {error}") from error

    def learned(self, n_tokens: int) -> None:
        """Requests with more are refused, and with so many are not."""
        with self._lock:
            self._most_tokens = min(self._most_tokens or n_tokens, n_tokens)

    def hold(self, error: EmbedderBusy, n_waits: int, since: float) -> None:
        """All requests wait, as long as the embedder says, or longer each time; `since` this one has been waiting."""
        seconds = self._delay(n_waits) if error.wait is None else error.wait
        with self._lock:
            waited = self._clock.now() - max(since, self._last_success)
        if waited + seconds > self._policy.patience:
            raise error
        self._pace.pause(seconds)

    def rest(self, n_tries: int) -> None:
        """This request waits, longer each time."""
        self._clock.sleep(self._delay(n_tries), self._stop)

    def _delay(self, n: int) -> float:
        grown = min(self._policy.longest_delay, self._policy.first_delay * 2.0 ** min(n, 30))
        return grown * (1 - _SPREAD * self._chance())

    def shorter(self, item: Item) -> Item | None:
        """What may be asked for in its place; None when it may not be shortened."""
        if self._policy.oversize != "truncate" or len(item.text) < 2:
            return None
        return shortened(item, max(1, item.n_tokens // 2), self._embedder.n_tokens)


class _Request:
    """Items that were given together, until each has its outcome."""

    def __init__(self, asking: Asking, embedder: Embedder, purpose: str, take: Take, fail: Fail) -> None:
        self._asking = asking
        self._embedder = embedder
        self._purpose = purpose
        self._take = take
        self._fail = fail
        self._tries = asking.tries
        self._n_shortenings: Counter[int] = Counter()  # by place

    def settle(self, batch: list[Item], tries: int) -> bool:
        """Whether the batch was accepted as it was."""
        n_tries, n_waits, since = 0, 0, self._asking.now()
        while True:
            try:
                batch, problem = self._once(batch)
            except EmbedderBusy as error:
                self._asking.hold(error, n_waits, since)
                n_waits += 1
                continue
            except InputRefused as error:
                return self._refused(batch, error)
            except EmbedderUnreachable as error:
                n_tries += 1
                if n_tries >= tries:
                    return self._exhausted(batch, error)
            else:
                if not batch:
                    return True
                n_tries += 1
                if n_tries >= tries:
                    return self._unusable(batch, problem)
            self._asking.rest(n_tries - 1)

    def _once(self, batch: list[Item]) -> tuple[list[Item], str]:
        """The items that have no vector yet, and what was wrong with the last of them."""
        self._asking.begin(batch)
        vectors = self._embedder.embed([item.text for item in batch], purpose=self._purpose)
        if len(vectors) != len(batch):
            n = len(vectors)
            raise EmbedderUnreachable(f"{n} vectors came for {len(batch)} texts", may_be_input=True)
        problems = problems_of(vectors, self._embedder.limits.dims)
        answered = zip(batch, vectors, problems, strict=True)
        got = [(item, vector) for item, vector, problem in answered if vector is not None and not problem]
        if got:
            self._asking.succeeded()
            self._take(got)
        bad = [(item, problem) for item, problem in zip(batch, problems, strict=True) if problem]
        return [item for item, _ in bad], bad[-1][1] if bad else ""

    def _refused(self, batch: list[Item], error: InputRefused) -> bool:
        if len(batch) > 1:
            parts = halves(batch)
            accepted = [self.settle(part, self._tries) for part in parts]
            if error.is_too_large and all(accepted):
                self._asking.learned(max(map(_n_tokens, parts)))
            return False
        place = batch[0].place
        shorter = self._asking.shorter(batch[0]) if error.is_too_large else None
        if shorter is not None and self._n_shortenings[place] < _MOST_SHORTENINGS:
            self._n_shortenings[place] += 1
            self.settle([shorter], self._tries)
        else:
            self._lose(batch[0], error)
        return False

    def _exhausted(self, batch: list[Item], error: EmbedderUnreachable) -> bool:
        """It fails each time. If it was reached, one of the texts may be why."""
        if not error.may_be_input:
            raise error
        if len(batch) == 1:
            self._lose(batch[0], error)
        else:
            for half in halves(batch):
                self.settle(half, 1)
        return False

    def _lose(self, item: Item, error: EmbeddingError) -> None:
        self._fail(item, str(error))
        self._asking.lost(error)

    def _unusable(self, batch: list[Item], problem: str) -> bool:
        for item in batch:
            self._fail(item, problem)
        return False


def _n_tokens(batch: list[Item]) -> int:
    return sum(item.n_tokens for item in batch)
