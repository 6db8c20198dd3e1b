"""Workers prepare in any order, lose one job at most to a crash, and never outlive their consumer."""

from __future__ import annotations

import os
import threading
from contextlib import closing
from pathlib import Path

import pytest

from callsite.indexing import workers
from callsite.indexing.prepare import Job, prepare
from callsite.text.words import Words

HERE = Path(__file__).parent
WORDS = Words()


def still_running() -> list[threading.Thread]:
    """Threads of a crew; a timer that was called off may take a moment to end."""
    return [
        thread
        for thread in threading.enumerate()
        if thread is not threading.main_thread() and not isinstance(thread, threading.Timer)
    ]


def jobs(n: int, *, bad: tuple[int, ...] = ()) -> list[Job]:
    """Enough bytes that workers are started; the bad ones make the unruly worker misbehave."""
    text = "def name():\n    return 1\n" * 400
    return [
        Job(f"digest{number}", "python", f"file{number}.py", f"# {'BAD' if number in bad else ''}\n{text}".encode())
        for number in range(n)
    ]


def check(n: int, *, bad: tuple[int, ...], program: tuple[str, ...] = workers.PROGRAM, patience: float = 60.0) -> None:
    """Exactly the bad ones are skipped; everything else is as if it were prepared here."""
    wanted = jobs(n, bad=bad)
    with closing(workers.prepare_all(wanted, WORDS, n_workers=2, program=program, patience=patience)) as results:
        got = {one.digest: one for one in results}
    skipped = {digest: one.skip for digest, one in got.items() if one.skip}
    assert skipped == {f"digest{number}": "the parser crashed or did not end" for number in bad}
    expected = {job.digest: prepare(job, WORDS) for job in wanted if job.digest not in skipped}
    assert {digest: one for digest, one in got.items() if not one.skip} == expected
    assert still_running() == []


@pytest.mark.parametrize("n", [0, 1, 80])
def test_every_job_comes_back_once(n):
    """Whether done here or by processes."""
    check(n, bad=())


@pytest.mark.parametrize("how", ["kill", "garbage", "half", "wrong"])
def test_a_worker_that_fails_costs_one_job(how):
    """It is killed, or writes nonsense, half an answer, the answer to something else."""
    check(60, bad=(3, 44), program=("-P", str(HERE / "unruly_worker.py"), how))


def test_without_processes_the_jobs_are_done_here(monkeypatch):
    """No more processes are to be had."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("subprocess.Popen", refuse)
    check(60, bad=())


@pytest.mark.parametrize("program", ["raise SystemExit(3)", "print('no answer')", "import no_such_module"])
def test_workers_that_never_get_ready_are_done_without(program):
    """That is no fault of the jobs."""
    check(60, bad=(), program=("-c", program))


def test_a_worker_that_dies_from_every_job_costs_them_all_but_ends():
    """Each job has its reason."""
    check(40, bad=tuple(range(40)), program=("-P", str(HERE / "unruly_worker.py"), "exit"))


def test_a_consumer_that_leaves_early_leaves_nothing_behind():
    """No thread, no process, however slow the work was."""
    program = ("-P", str(HERE / "unruly_worker.py"), "hang")
    results = workers.prepare_all(jobs(60, bad=(59,)), WORDS, n_workers=2, program=program)
    with closing(results):
        next(results)
    assert still_running() == []


def test_an_error_of_the_jobs_comes_through():
    """What reading a file raises is raised where the results are taken."""

    def failing():
        yield from jobs(40)
        raise KeyError("jobs")

    with pytest.raises(KeyError, match="jobs"):
        list(workers.prepare_all(failing(), WORDS, n_workers=2))
    assert still_running() == []


def test_a_worker_imports_nothing_from_the_current_folder(tmp_path, monkeypatch):
    """The searched code may hold modules named like ours or like Python's."""
    for name in ("callsite.py", "pickle.py", "zlib.py", "queue.py"):
        (tmp_path / name).write_text(f"open({str(tmp_path / 'imported')!r}, 'w')\nraise SystemExit\n")
    monkeypatch.chdir(tmp_path)
    check(40, bad=())
    assert not (tmp_path / "imported").exists()
    assert os.listdir(tmp_path) != []
