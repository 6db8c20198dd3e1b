"""How does a lease outlast a long batch? A thread extends it while the batch is worked on, for a bounded time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from callsite.errors import StoreError
from callsite.queue.seam import Queue
from callsite.queue.values import Batch

LONGEST = 3600.0  # a handler that hangs gives up what it has
_PARTS = 3  # of a lease, after each of which it is extended


@contextmanager
def kept(queue: Queue, batch: Batch, lease: float, *, longest: float = LONGEST) -> Iterator[None]:
    """Keep the batch until the end of the block, for so many seconds at most."""
    done = Event()

    def keep() -> None:
        for _ in range(int(longest / lease * _PARTS)):
            if done.wait(lease / _PARTS):
                return
            try:
                queue.extend(batch, lease=lease)
            except StoreError:  # whoever settles the batch meets it too, and says so
                continue

    thread = Thread(target=keep, name="keeping", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
