"""Whatever is done to a queue in whichever order, it is as the plain one in memory.

QUEUE_OPERATIONS=20000 does more than a usual run has time for.
"""

from __future__ import annotations

import os
import random

import pytest
from plain import Plain
from queues import reference

from callsite.queue import GROWING, LIMITED, NEVER, Failed, Policy

N_OPERATIONS = int(os.environ.get("QUEUE_OPERATIONS", "400"))
POLICY = Policy(jitter=0, tries=3, first_delay=16, growth=2, most_lost=4, alone_from=2)
REFERENCES = [reference(f"{number:02}", number % 3) for number in range(12)]


class Both:
    """A queue and the plain one, to which the same is done."""

    def __init__(self, place, chance: random.Random) -> None:
        self.clock, self.chance = place.clock, chance
        self.queues = [place.open(policy=POLICY), place.open(policy=POLICY)]
        self.plain = Plain(POLICY)
        self.batches: list = []

    @property
    def queue(self):
        return self.chance.choice(self.queues)

    def step(self) -> None:
        doing = [self.track] * 4 + [self.take] * 6 + [self.acknowledge] * 3 + [self.fail] * 4
        self.chance.choice([*doing, self.extend, self.pass_time, self.pass_time, self.pass_time, self.dead])()
        self.compare()

    def track(self) -> None:
        some = self.chance.choices(REFERENCES, k=self.chance.randint(0, 5))
        self.queue.track(some)
        self.plain.track(some, self.clock.time)

    def take(self) -> None:
        limit = self.chance.randint(1, 5)
        batch = self.queue.take(limit, lease=20)
        token, expected = self.plain.take(limit, 20, self.clock.time)
        assert [(one.reference, one.tries) for one in batch.items] == [(one, tries) for one, _, tries in expected]
        self.batches = [*self.batches[-5:], (batch, token, expected)]

    def acknowledge(self) -> None:
        batch, token, indices, expected = self.some()
        found = self.queue.acknowledge(batch, [batch.items[index] for index in indices])
        assert found == self.plain.acknowledge(token, expected, self.clock.time)

    def fail(self) -> None:
        batch, token, indices, expected = self.some()
        delay = self.chance.choice([GROWING, GROWING, LIMITED, NEVER])
        failed = Failed(error=self.chance.choice("XY"), message="", delay=delay, seconds=8)
        found = self.queue.fail(batch, {batch.items[index]: failed for index in indices})
        assert found == self.plain.fail(token, expected, failed, self.clock.time)

    def extend(self) -> None:
        batch, token, _, _ = self.some()
        assert self.queue.extend(batch, lease=20) == self.plain.extend(token, 20, self.clock.time)

    def pass_time(self) -> None:
        self.clock.time += self.chance.choice([1, 7, 20, 40])

    def dead(self) -> None:
        routing, error = self.chance.choice([None, 0, 1, 2]), self.chance.choice([None, "X", "Y", "LeaseLost"])
        if self.chance.random() < 0.5:
            found, expected = self.queue.dead.replay(routing=routing, error=error), (routing, error, self.clock.time)
            assert found == self.plain.replay(*expected)
        else:
            assert self.queue.dead.clear(routing=routing, error=error) == self.plain.clear(routing, error)

    def some(self):
        """A batch, or a part of it, of now or of long ago."""
        if not self.batches:
            self.take()
        batch, token, expected = self.chance.choice(self.batches)
        indices = sorted(self.chance.sample(range(len(expected)), self.chance.randint(0, len(expected))))
        return batch, token, indices, [expected[index] for index in indices]

    def compare(self) -> None:
        found = self.queue.statistics()
        counts = (found.queued, found.due, found.leased, found.waiting, found.dead, found.oldest)
        assert counts == self.plain.statistics(self.clock.time)
        letters = [(letter.reference, letter.error, letter.tries) for letter in self.queue.dead.listed()]
        assert letters == [(entry.reference, entry.error, entry.tries) for entry in self.plain.dead(None, None)]


@pytest.mark.parametrize("seed", range(3))
def test_a_queue_is_as_the_plain_one(place, seed):
    """Outcomes, order, numbers and dead letters, after each of many random operations by two who opened it."""
    both = Both(place, random.Random(seed))
    for _ in range(N_OPERATIONS):
        both.step()
