"""What does every queue do? The seam between those who change things and the workers that catch up with them.

A queue knows no store, no git and no model. All calls are synchronous and may come from several threads and processes.
They raise StoreError and its children, and QueryError for arguments that can't be meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from callsite.queue.reference import Reference
from callsite.queue.values import Batch, DeadLetter, Failed, Statistics, Taken


class Queue(Protocol):
    """Keeps references until they are processed; implementations inherit, so that their types are checked."""

    @property
    def dead(self) -> DeadLetters:
        """Those that are not tried any more."""

    def track(self, references: Iterable[Reference]) -> None:
        """Put them in; each is there once, however often it is tracked.

        One that somebody has taken is due again once he is done. One that waits after a failure goes on waiting. A dead
        one starts anew.
        """

    def take(self, limit: int, *, lease: float, shard: int | None = None) -> Batch:
        """Up to `limit` references that are due, those first that are due longest; nobody else gets them for so long.

        A batch without items has nothing due. One whose lease ran out is due again; after too many it is dead.
        """

    def extend(self, batch: Batch, *, lease: float) -> int:
        """Keep what is left of a batch for so many seconds from now; how many references that is."""

    def acknowledge(self, batch: Batch, items: Iterable[Taken]) -> list[str]:
        """These were processed as they were when they were taken: done, again, or lost, in order."""

    def fail(self, batch: Batch, failures: Mapping[Taken, Failed]) -> list[str]:
        """These were not: waiting, dead, again, or lost, in order.

        Again: it would be dead, but it was tracked meanwhile, so it starts anew.
        """

    def statistics(self, *, routing: int | str | None = None) -> Statistics:
        """How much is in it, in all or with one routing value."""

    def close(self) -> None:
        """Give back connections and files; closing twice is fine. What was taken stays so until its lease runs out."""


class DeadLetters(Protocol):
    """References that are not tried any more; those of a routing value, of a class of error, or all."""

    def listed(
        self, *, routing: int | str | None = None, error: str | None = None, after: int = 0, limit: int = 100
    ) -> tuple[DeadLetter, ...]:
        """A page of them by number; the next comes after the last one's."""

    def replay(self, *, routing: int | str | None = None, error: str | None = None) -> int:
        """Make them due, with all their tries; how many."""

    def clear(self, *, routing: int | str | None = None, error: str | None = None) -> int:
        """Forget them; how many."""
