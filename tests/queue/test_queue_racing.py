"""Several workers at once, and workers that are killed: each reference's last state is seen, whatever happens.

QUEUE_KILLS=300 kills more often than a usual run has time for.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from threading import Barrier, Lock, Thread

import psycopg
import pytest
from queues import PLACES, reference
from worker_child import LEASE, opened, work_off

from callsite.queue import drain

KILLS = int(os.environ.get("QUEUE_KILLS", "10"))
CHILD = Path(__file__).parent / "worker_child.py"
N = 60  # references


def together(*works) -> None:
    """Run these at once, in threads; what one raises is raised."""
    barrier, errors = Barrier(len(works)), []

    def run(work) -> None:
        barrier.wait()
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - it is raised below
            errors.append(error)

    threads = [Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.mark.parametrize("is_shared", [False, True], ids=["opened-by-each", "shared"])
def test_workers_at_once_handle_each_reference_once(place, is_shared):
    """Nobody gets what another one has, and nothing is left."""
    queues = [place.open() for _ in range(1 if is_shared else 4)] * (4 if is_shared else 1)
    queues[0].track(reference(number) for number in range(500))
    counts: Counter[str] = Counter()
    lock = Lock()

    def handler(works):
        with lock:
            counts.update(work.reference.id for work in works)
        return {}

    together(*(lambda queue=queue: drain(queue, {"chunk": handler}, limit=13) for queue in queues))
    assert counts == Counter(map(str, range(500)))
    assert queues[0].statistics().queued == 0


def test_two_at_once_can_acknowledge_only_one(place, clock):
    """The lease of the first ran out; both settle the same reference, again and again."""
    first, second = place.open(), place.open()
    for number in range(20):
        first.track([reference(number)])
        old = first.take(1, lease=10)
        clock.time += 10
        new = second.take(1, lease=10)
        outcomes = {}
        together(
            lambda old=old, outcomes=outcomes: outcomes.update(old=first.acknowledge(old, old.items)),
            lambda new=new, outcomes=outcomes: outcomes.update(new=second.acknowledge(new, new.items)),
        )
        assert outcomes == {"old": ["lost"], "new": ["done"]}


def test_what_is_tracked_by_others_all_the_time_is_seen_as_it_is_last(place):
    """Two change and track, two work off; each reference's last state is handled."""
    queues = [place.open() for _ in range(4)]
    states, seen = [0] * 30, {}

    def change(queue, seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(40):
            numbers = chance.sample(range(seed, 30, 2), 5)
            for number in numbers:
                states[number] += 1
            queue.track(reference(number) for number in numbers)

    def handler(works):
        for work in works:
            number = int(work.reference.id)
            seen[number] = max(states[number], seen.get(number, 0))
        return {}

    def work_on(queue) -> None:
        for _ in range(40):
            drain(queue, {"chunk": handler}, limit=4)

    one, two, three, four = queues
    together(lambda: change(one, 0), lambda: change(two, 1), lambda: work_on(three), lambda: work_on(four))
    drain(one, {"chunk": handler})
    assert seen == {number: state for number, state in enumerate(states) if state}
    assert one.statistics().queued == one.statistics().dead == 0


WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND %s = ANY(pg_blocking_pids(pid))"


def test_an_acknowledgement_waits_for_whoever_is_tracking():
    """It counts up to what was read, also when the tracking is committed between its look and its deletion."""
    with PLACES["postgres"]() as place, psycopg.connect(place.child[1].split(" ", 1)[1]) as other:
        queue = place.open()
        queue.track([reference("a")])
        batch = queue.take(1, lease=60)
        other.execute(f"UPDATE {place.child[1].split()[0]}.entries SET version = version + 1")
        outcomes: list[str] = []
        thread = Thread(target=lambda: outcomes.extend(queue.acknowledge(batch, batch.items)))
        thread.start()
        with psycopg.connect(place.child[1].split(" ", 1)[1], autocommit=True) as watching:
            while not watching.execute(WAITING, (other.info.backend_pid,)).fetchone()[0]:
                assert thread.is_alive()
        other.commit()
        thread.join()
        assert outcomes == ["again"]


class Changing:
    """References whose states change and are tracked, and the process that works them off."""

    def __init__(self, place, folder: Path, chance: random.Random) -> None:
        self.place, self.chance = place, chance
        self.states, self.seen = folder / "states", folder / "seen"
        self.states.write_bytes(bytes(N))
        self.seen.touch()
        self.queue = opened(*place.child, clock=place.clock)

    def change(self, n: int) -> None:
        """First the state, then the queue, as whoever writes to a store does it."""
        now = bytearray(self.states.read_bytes())
        numbers = self.chance.sample(range(N), n)
        for number in numbers:
            now[number] = (now[number] + 1) % 256
        beside = self.states.with_suffix(".new")
        beside.write_bytes(now)
        beside.replace(self.states)
        self.queue.track(reference(number) for number in numbers)

    def kill_at(self, n_steps: int) -> bool:
        """Start a worker and kill it after so many of its steps, changing more meanwhile; whether it came to that."""
        self.place.clock.time += self.chance.choice([LEASE, LEASE / 3])
        command = [sys.executable, str(CHILD), *self.place.child, self.states, self.seen, self.place.clock.time]
        environment = os.environ | {"PYTHONPATH": str(CHILD.parents[2] / "src")}
        with subprocess.Popen(list(map(str, command)), env=environment, stdout=subprocess.PIPE) as child:
            for at in range(n_steps):
                if not child.stdout.read(1):
                    assert child.wait(60) == 0
                    return False
                if at == n_steps // 2:
                    self.change(3)
            child.kill()
        return True

    def last_seen(self) -> dict[int, int]:
        lines = (line.split() for line in self.seen.read_text().splitlines())
        return {int(number): int(state) for number, state in lines}


def test_workers_are_killed_anywhere(place, tmp_path):
    """Nothing is lost: at the end the last state of each has been handled; and nothing stays for ever."""
    changing = Changing(place, tmp_path, random.Random(11))
    changing.change(N)
    n_killed = 0
    while n_killed < KILLS:
        if changing.kill_at(changing.chance.randint(1, 30)):
            n_killed += 1
        changing.change(20)
    for _ in range(5):
        place.clock.time += LEASE
        work_off(changing.queue, changing.states, changing.seen)
    found = changing.queue.statistics()
    assert (found.queued, found.dead) == (0, 0)
    assert changing.last_seen() == dict(enumerate(changing.states.read_bytes()))
    changing.queue.close()
