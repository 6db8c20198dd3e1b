"""A worker that is killed: `worker_child.py ENGINE WHERE STATES SEEN TIME`; it prints a dot for each of its steps.

STATES holds a byte for each reference: what it is by now. Whatever the handler sees goes to SEEN, a line for each
reference: its number and that byte.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from callsite.queue import LIMITED, Failed, Policy, Sorted, drain
from callsite.queue.postgres import PostgresQueue
from callsite.queue.sqlite import SqliteQueue

POLICY = Policy(first_delay=5, growth=1, most_lost=1_000, alone_from=1_000, tries=1_000)
LEASE, LIMIT = 100.0, 7


def opened(engine: str, where: str, clock):
    if engine == "sqlite":
        return SqliteQueue(where, policy=POLICY, clock=clock)
    schema, uri = where.split(" ", 1)
    return PostgresQueue(uri, schema=schema, policy=POLICY, clock=clock)


def step() -> None:
    os.write(1, b".")


def work_off(queue, states: Path, seen: Path, *, step=lambda: None, one_waits_of: int = 1_000) -> None:
    """Note the states of what is in the queue; one reference of so many has to wait first."""
    file = os.open(seen, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def look(works):
        step()
        return Sorted(passed=works)

    def handle(works):
        step()
        now = states.read_bytes()
        limited = {}
        for work in works:
            number = int(work.reference.id)
            if (number + now[number]) % one_waits_of == one_waits_of - 1:
                limited[work.reference] = Failed(error="Busy", message="", delay=LIMITED, seconds=1)
            else:
                os.write(file, f"{number} {now[number]}\n".encode())
        step()
        return limited

    drain(queue, {"chunk": handle}, preprocessors=[look], limit=LIMIT, lease=LEASE, stop=lambda: bool(step()))
    os.close(file)


if __name__ == "__main__":
    engine, where, states, seen, time = sys.argv[1:]
    now = float(time)
    work_off(opened(engine, where, lambda: now), Path(states), Path(seen), step=step, one_waits_of=11)
