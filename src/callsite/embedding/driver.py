"""How do many texts become vectors? Split, paced, in several requests at once, repeated, halved, checked.

Each text gets a vector or the reason why not. What was paid for is handed over at once (`keep`), whatever happens
after; a text whose vector came is never sent again. What an embedder may do wrong, and what comes of it, is listed in
docs/why/embedding.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from random import random
from threading import Event

from callsite.embedding.asking import Asking, Stopped
from callsite.embedding.clock import Clock
from callsite.embedding.packing import Item, batches, shortened
from callsite.embedding.seam import Embedder
from callsite.embedding.values import PURPOSES, Embedded, Keep, Policy, checked
from callsite.errors import SettingsError


def embed_all(
    embedder: Embedder,
    texts: Sequence[str],
    *,
    purpose: str = "document",
    policy: Policy = Policy(),  # noqa: B008 - a frozen value
    keep: Keep | None = None,
    clock: Clock | None = None,
    chance: Callable[[], float] = random,
) -> list[Embedded]:
    """What became of each text, in order; errors as those of `Driver.embed`."""
    with Driver(embedder, policy=policy, clock=clock, chance=chance) as driver:
        return driver.embed(texts, purpose=purpose, keep=keep)


class Driver:
    """Asks one embedder, from any number of threads; they share its limits, and the end when it refuses."""

    def __init__(
        self,
        embedder: Embedder,
        *,
        policy: Policy = Policy(),  # noqa: B008 - a frozen value
        clock: Clock | None = None,
        chance: Callable[[], float] = random,
    ) -> None:
        """`chance` gives numbers from 0 to 1, by which delays differ."""
        self._embedder = embedder
        self._limits = embedder.limits
        self._policy = checked(policy)
        self._stop = Event()
        self._asking = Asking(embedder, self._policy, clock or Clock(), chance, self._stop)
        self._pool = ThreadPoolExecutor(policy.concurrency, thread_name_prefix="embedding")

    def embed(self, texts: Sequence[str], *, purpose: str = "document", keep: Keep | None = None) -> list[Embedded]:
        """What became of each text, in order. `keep` is called from several threads, as soon as vectors come.

        EmbedderRefused, EmbedderUnreachable and its children when the embedder as a whole does not do it: then no
        further request is made, also none of later calls. What `keep` raises ends the call too.
        """
        if purpose not in PURPOSES:
            raise SettingsError(f"embedding: the purpose has to be {' or '.join(PURPOSES)}, not {purpose!r}")
        found: list[Embedded | None] = [None] * len(texts)

        def take(got: Sequence[tuple[Item, array[float]]]) -> None:
            for item, vector in got:
                found[item.place] = Embedded(vector=vector, is_truncated=item.is_truncated)
            if keep is not None:
                keep([(item.place, vector) for item, vector in got])

        def fail(item: Item, problem: str) -> None:
            found[item.place] = Embedded(vector=None, problem=problem)

        items = self._items(texts, fail)
        packed = batches(items, most_items=self._limits.items, most_tokens=self._limits.tokens)
        self._run([self._submit(batch, purpose, take, fail) for batch in packed])
        return [one or Embedded(vector=None, problem="it was not asked for") for one in found]

    def _items(self, texts: Sequence[str], fail: Callable[[Item, str], None]) -> Iterable[Item]:
        """Those that can be asked for."""
        most = self._limits.tokens_of_item
        for place, text in enumerate(texts):
            item = Item(place=place, text=text, n_tokens=self._embedder.n_tokens(text))
            if not text.strip():
                fail(item, "the text is blank")
            elif not most or item.n_tokens <= most:
                yield item
            elif self._policy.oversize == "truncate":
                yield shortened(item, most, self._embedder.n_tokens)
            else:
                fail(item, f"the text has about {item.n_tokens:,} tokens, the model takes {most:,}")

    def _submit(
        self,
        batch: list[Item],
        purpose: str,
        take: Callable[[Sequence[tuple[Item, array[float]]]], None],
        fail: Callable[[Item, str], None],
    ) -> Future[None]:
        try:
            return self._pool.submit(self._asking.ask, batch, purpose, take, fail)
        except RuntimeError as error:  # the pool takes nothing more
            raise self._asking.ended() from error

    def _run(self, futures: list[Future[None]]) -> None:
        """Until all have ended, also after one failed: what is on its way is paid for."""
        errors: list[BaseException] = []
        for future in futures:  # one by one: `wait` never hears of those that `close` has cancelled
            try:
                if error := future.exception():
                    errors.append(error)
            except CancelledError:
                errors.append(Stopped())
        if errors:
            raise next((error for error in errors if not isinstance(error, Stopped)), None) or self._asking.ended()

    def require_going(self) -> None:
        """Raises why nothing is asked any more, after it was closed or the embedder refused."""
        if self._stop.is_set():
            raise self._asking.ended()

    def close(self) -> None:
        """No further request; those on their way are waited for. Closing twice is fine; the embedder stays open."""
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
