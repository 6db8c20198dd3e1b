"""How are many contents prepared on all cores, whatever a parser does to its process?

Each worker is a process of its own, started by command (not forked: the caller may run threads; not spawned: his main
module must not run again). One that dies or hangs costs its job, not the indexing: the jobs of its batch are tried one
by one, and the culprit is skipped with the reason.
"""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from callsite.index.prepared import Prepared
from callsite.indexing.prepare import Job, prepare, unprepared
from callsite.text.words import Words

_BATCH_BYTES = 200_000
_BATCH_JOBS = 64
_IN_PROCESS_BYTES = 300_000  # less is done before a worker has started (~90 ms)
_PATIENCE_SECONDS = 60.0  # for one batch; parsing bounds itself to about two seconds a file


def prepare_all(jobs: Iterable[Job], words: Words, *, n_workers: int) -> Iterator[Prepared]:
    """Prepare the jobs, in any order; few are done here, many by worker processes."""
    batches = _batches(jobs)
    first = next(batches, [])
    second = next(batches, [])
    if n_workers < 2 or not second or sum(len(job.data) for job in first + second) < _IN_PROCESS_BYTES:
        for batch in (first, second, *batches):
            yield from (prepare(job, words) for job in batch)
        return
    yield from _prepare_in_workers(_chained(first, second, batches), n_workers)


def _chained(first: list[Job], second: list[Job], rest: Iterator[list[Job]]) -> Iterator[list[Job]]:
    yield first
    yield second
    yield from rest


def _batches(jobs: Iterable[Job]) -> Iterator[list[Job]]:
    batch: list[Job] = []
    n_bytes = 0
    for job in jobs:
        batch.append(job)
        n_bytes += len(job.data)
        if n_bytes >= _BATCH_BYTES or len(batch) >= _BATCH_JOBS:
            yield batch
            batch, n_bytes = [], 0
    if batch:
        yield batch


def _prepare_in_workers(batches: Iterator[list[Job]], n_workers: int) -> Iterator[Prepared]:
    """One thread drives each worker; the bounded queues keep memory flat however large the source is."""
    todo: queue.Queue[list[Job] | None] = queue.Queue(n_workers * 2)
    done: queue.Queue[list[Prepared] | BaseException | None] = queue.Queue(n_workers * 4)
    stop = threading.Event()

    def drive() -> None:
        with Worker() as worker:
            while (batch := todo.get()) is not None:
                done.put(worker.prepare(batch) if not stop.is_set() else [])
        done.put(None)

    def feed() -> None:
        try:
            for batch in batches:
                if stop.is_set():
                    break
                todo.put(batch)
        except BaseException as error:  # handed to the caller's thread, not swallowed
            done.put(error)
        for _ in range(n_workers):
            todo.put(None)

    threads = [threading.Thread(target=target, daemon=True) for target in [feed] + [drive] * n_workers]
    for thread in threads:
        thread.start()
    running = n_workers
    failure: BaseException | None = None
    try:
        while running:
            got = done.get()
            if got is None:
                running -= 1
            elif isinstance(got, BaseException):
                failure = got
            else:
                yield from got
    finally:
        stop.set()
        while running:  # the consumer left early: let everybody run out
            running -= done.get() is None
    if failure is not None:
        raise failure


class Worker:
    """One worker process, restarted whenever a job killed or blocked it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Worker:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def prepare(self, batch: list[Job]) -> list[Prepared]:
        """Prepare a batch; jobs that the process does not survive come back as skipped."""
        answer = self._ask(batch)
        if answer is not None:
            return answer
        if len(batch) == 1:
            return [unprepared(batch[0], "the parser crashed or did not end")]
        return [prepared for job in batch for prepared in self.prepare([job])]

    def _ask(self, batch: list[Job]) -> list[Prepared] | None:
        process = self._process or self._start()
        assert process.stdin is not None and process.stdout is not None
        timer = threading.Timer(_PATIENCE_SECONDS, process.kill)
        timer.daemon = True
        timer.start()
        try:
            pickle.dump(batch, process.stdin, protocol=5)
            process.stdin.flush()
            answer: list[Prepared] = pickle.load(process.stdout)
            return answer
        except (OSError, EOFError, pickle.UnpicklingError):
            self._stop()
            return None
        finally:
            timer.cancel()

    def _start(self) -> subprocess.Popen[bytes]:
        packages = str(Path(__file__).resolve().parents[2])
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([packages, *filter(None, sys.path)])}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "callsite.indexing.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        return self._process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        try:
            if process.stdin is not None:
                process.stdin.close()
        except OSError:
            pass  # it died with unread jobs; that is why we are here
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
