"""How are many contents prepared on all cores, whatever a parser does to its process?

Each worker is a process of its own, started by command (not forked: the caller may run threads; not spawned: his main
module must not run again). One that dies or hangs costs its job, not the indexing: the jobs of its batch are tried one
by one, and the culprit is skipped with the reason.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence

from callsite.index.prepared import Prepared
from callsite.indexing.prepare import Job, prepare, unprepared
from callsite.text.words import Words
from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    import queue
    import subprocess

_BATCH_BYTES = 200_000
_BATCH_JOBS = 64
_IN_PROCESS_BYTES = 300_000  # less is done before a worker has started (~90 ms)
_START_SECONDS = 30.0  # until a new process has to answer, on a machine that is busy
_PATIENCE_SECONDS = 60.0  # for one batch; parsing bounds itself to about two seconds a file

#: -P: whatever lies in the current folder is data, never a module to import.
PROGRAM = ("-P", "-m", "callsite.indexing.worker")


def prepare_all(
    jobs: Iterable[Job],
    words: Words,
    *,
    n_workers: int,
    patience: float = _PATIENCE_SECONDS,
    program: Sequence[str] = PROGRAM,
) -> Generator[Prepared, None, None]:
    """Prepare the jobs, in any order; few are done here, many by worker processes.

    Close it when leaving early. patience: seconds for a batch. program: what Python runs as a worker.
    """
    batches = _batches(jobs)
    first = next(batches, [])
    second = next(batches, [])
    if n_workers < 2 or not second or sum(len(job.data) for job in first + second) < _IN_PROCESS_BYTES:
        for batch in (first, second, *batches):
            yield from (prepare(job, words) for job in batch)
        return
    workers = [Worker(words, patience=patience, program=program) for _ in range(n_workers)]
    yield from _Crew(workers, _chained(first, second, batches)).prepared()


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


class _Crew:
    """One thread drives each worker; the bounded queues keep memory flat however large the source is."""

    def __init__(self, workers: list[Worker], batches: Iterator[list[Job]]) -> None:
        import queue  # like the other modules for processes: one edited file needs none of them
        import threading

        self._workers = workers
        self._batches = batches
        self._todo: queue.Queue[list[Job] | None] = queue.Queue(len(workers) * 2)
        self._done: queue.Queue[list[Prepared] | BaseException | None] = queue.Queue(len(workers) * 4)
        self._stop = threading.Event()

    def prepared(self) -> Iterator[Prepared]:
        """All results; nothing is left running when it ends, is closed or raises."""
        import threading

        threads = [threading.Thread(target=self._drive, args=(worker,), daemon=True) for worker in self._workers]
        threads.append(threading.Thread(target=self._feed, daemon=True))
        for thread in threads:
            thread.start()
        n_running = len(self._workers) + 1
        failure: BaseException | None = None
        try:
            while n_running:
                got = self._done.get()
                if got is None:
                    n_running -= 1
                elif isinstance(got, BaseException):
                    failure = got
                else:
                    yield from got
        finally:
            self._stop.set()
            if n_running:
                for crew in self._workers:
                    crew.abort()
            while n_running:
                n_running -= self._done.get() is None
            for thread in threads:
                thread.join()
        if failure is not None:
            raise failure

    def _feed(self) -> None:
        try:
            for batch in self._batches:
                if self._stop.is_set():
                    break
                self._todo.put(batch)
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread, not swallowed
            self._done.put(error)
        for _ in self._workers:
            self._todo.put(None)
        self._done.put(None)

    def _drive(self, worker: Worker) -> None:
        with worker:
            while (batch := self._todo.get()) is not None:
                if self._stop.is_set():
                    continue
                try:
                    self._done.put(worker.prepare(batch))
                except BaseException as error:  # noqa: BLE001 - handed to the caller's thread, not swallowed
                    self._done.put(error)
        self._done.put(None)


class Worker:
    """One worker process, started when needed and again whenever a job killed or blocked it."""

    def __init__(self, words: Words, *, patience: float = _PATIENCE_SECONDS, program: Sequence[str] = PROGRAM) -> None:
        self._words = words
        self._patience = patience
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None
        self._aborted = False
        self._is_broken = False  # no process of this program answers, whatever it is asked

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def prepare(self, batch: list[Job]) -> list[Prepared]:
        """Prepare a batch; jobs that the process does not survive come back as skipped."""
        process = None if self._is_broken else self._process or self._start()
        if process is None:  # no processes are to be had: better slowly than not at all
            return [prepare(job, self._words) for job in batch]
        answer = self._ask(process, batch, self._patience)
        if answer is not None:
            return answer
        self._end()
        if self._aborted:
            return []
        if not self._answers():
            return self.prepare(batch)
        if len(batch) == 1:
            return [unprepared(batch[0], "the parser crashed or did not end")]
        return [prepared for job in batch for prepared in self.prepare([job])]

    def _answers(self) -> bool:
        """Whether a new process answers at all: if not, the jobs are not to blame for its death."""
        process = self._start()
        self._is_broken = process is None or self._ask(process, [], _START_SECONDS) != []
        if self._is_broken:
            self._end()
        return not self._is_broken

    def abort(self) -> None:
        """Let nobody wait for this worker any more; from any thread."""
        self._aborted = True
        if (process := self._process) is not None:
            process.kill()

    def _ask(self, process: subprocess.Popen[bytes], batch: list[Job], patience: float) -> list[Prepared] | None:
        """What the process answers; None when it dies, takes too long or talks nonsense."""
        import pickle
        import threading

        assert process.stdin is not None and process.stdout is not None
        timer = threading.Timer(patience, process.kill)
        timer.daemon = True
        timer.start()
        try:
            pickle.dump(batch, process.stdin, protocol=5)
            process.stdin.flush()
            return _checked(pickle.load(process.stdout), batch)
        except Exception:  # noqa: BLE001 - bytes that are no pickle raise whatever they like
            return None
        finally:
            timer.cancel()

    def _start(self) -> subprocess.Popen[bytes] | None:
        import subprocess

        packages = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([packages, *filter(None, sys.path)])}
        try:
            self._process = subprocess.Popen(
                [sys.executable, *self._program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
        except OSError:
            return None
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            try:
                if stream is not None:
                    stream.close()
            except OSError:
                pass  # it died with unread jobs; that is why we are here
        process.wait()


def _checked(answer: object, batch: list[Job]) -> list[Prepared] | None:
    """The answer if it is one to this batch."""
    if not isinstance(answer, list) or not all(isinstance(one, Prepared) for one in answer):
        return None
    asked = [(job.digest, job.hint, job.path) for job in batch]
    return answer if [(one.digest, one.hint, one.path) for one in answer] == asked else None
