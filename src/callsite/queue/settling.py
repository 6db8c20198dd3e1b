"""What became of what was taken? Each reference is acknowledged or fails once; the outcomes are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from callsite.queue.reference import Reference
from callsite.queue.seam import Queue
from callsite.queue.values import LIMITED, Batch, Failed, Taken
from callsite.queue.working import Report


class Settling:
    """Of one worker."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._batch = Batch(token=0, items=())
        self._open: dict[Taken, None] = {}
        self._by_reference: dict[Reference, Taken] = {}
        self._counts: Counter[str] = Counter()
        self._n_dropped = 0
        self.n_taken = 0

    @contextmanager
    def of(self, batch: Batch) -> Iterator[None]:
        """What follows is about this batch; when it is broken off, what is left goes back without using up a try."""
        self._batch = batch
        self._open = dict.fromkeys(batch.items)
        self._by_reference = {one.reference: one for one in batch.items if one.reference is not None}
        self.n_taken += len(batch.items)
        try:
            yield
        except (KeyboardInterrupt, SystemExit):
            back = Failed(error="Interrupted", message="its worker was stopped", delay=LIMITED, seconds=0)
            self.fail_taken(dict.fromkeys(list(self._open), back))
            raise

    def acknowledge(self, references: Iterable[Reference]) -> None:
        """These are done."""
        items = [self._by_reference[one] for one in references]
        if items:
            self._count(items, self._queue.acknowledge(self._batch, items))

    def drop(self, references: Iterable[Reference]) -> None:
        """About these nothing is to be done."""
        dropped = list(references)
        self._n_dropped += len(dropped)
        self.acknowledge(dropped)

    def fail(self, failures: Mapping[Reference, Failed]) -> None:
        """These were not done; a handler may name some that it was not given."""
        self.fail_taken({self._by_reference[one]: why for one, why in failures.items() if one in self._by_reference})

    def fail_taken(self, failures: Mapping[Taken, Failed]) -> None:
        """As above."""
        if failures:
            self._count(failures, self._queue.fail(self._batch, failures))

    def report(self, *, is_stopped: bool) -> Report:
        """What was done so far."""
        return Report(
            n_taken=self.n_taken,
            n_done=self._counts["done"],
            n_dropped=self._n_dropped,
            n_again=self._counts["again"],
            n_waiting=self._counts["waiting"],
            n_dead=self._counts["dead"],
            n_lost=self._counts["lost"],
            is_stopped=is_stopped,
        )

    def _count(self, items: Iterable[Taken], outcomes: Iterable[str]) -> None:
        self._counts.update(outcomes)
        for one in items:
            self._open.pop(one, None)
