"""Which queues have to pass the suite? One entry each, which gives tables that nobody else uses."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from callsite.queue import Policy, Queue, Reference
from callsite.queue.postgres import PostgresQueue
from callsite.queue.sqlite import SqliteQueue

_numbers = count()
#: Delays without chance, so that a test can say when something is due.
EVEN = Policy(jitter=0)


class Hands:
    """A clock that stands still until it is put forward."""

    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


class Place:
    """A queue's table, and the clock of those who open it."""

    def __init__(self, make: Callable[..., Queue], child: tuple[str, str]) -> None:
        self.clock = Hands()
        self.child = child  #: how another process names it: "sqlite" and a path, "postgres" and a schema
        self._make = make
        self._opened: list[Queue] = []

    def open(self, **options: object) -> Queue:
        queue = self._make(**{"policy": EVEN, "clock": self.clock} | options)
        self._opened.append(queue)
        return queue

    def close(self) -> None:
        for queue in self._opened:
            queue.close()


@contextmanager
def _sqlite() -> Iterator[Place]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "queue.sqlite"
        place = Place(lambda **options: SqliteQueue(path, **options), ("sqlite", str(path)))
        yield place
        place.close()


@contextmanager
def _postgres() -> Iterator[Place]:
    import psycopg
    from servers.postgres import options  # the run's own, which other suites share

    uri = options()
    schema = f"queue_{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}_{next(_numbers)}"
    place = Place(lambda **options: PostgresQueue(uri, schema=schema, **options), ("postgres", f"{schema} {uri}"))
    yield place
    place.close()
    with psycopg.connect(uri) as connection:
        connection.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')


PLACES = {"sqlite": _sqlite, "postgres": _postgres}


def reference(name: object, routing: int | str = 1, *, kind: str = "chunk") -> Reference:
    return Reference(kind=kind, collection="code_chunks", routing=routing, id=str(name))


def ids(batch) -> list[str]:
    return [one.reference.id for one in batch.items]
