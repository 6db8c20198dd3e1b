"""Contents are prepared by processes that may die, hang or talk nonsense, and nothing but their job is lost."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from callsite.git import blob_id
from callsite.indexing.prepare import Job
from callsite.indexing.workers import Worker, prepare_all
from callsite.text.words import Words

ECHO = """
import os, pickle, sys, time
sys.path[:0] = {path!r}
from callsite.indexing.prepare import prepare
from callsite.text.words import Words
out = os.fdopen(os.dup(1), "wb")
while True:
    try:
        jobs = pickle.load(sys.stdin.buffer)
    except EOFError:
        break
    for job in jobs:
        if b"die" in job.data:
            os._exit(9)
        if b"hang" in job.data:
            time.sleep(60)
        if b"babble" in job.data:
            out.write(b"no pickle at all")
            out.flush()
            os._exit(0)
    pickle.dump([prepare(job, Words()) for job in jobs], out, protocol=5)
    out.flush()
"""


def job(text: str, path: str = "a.py") -> Job:
    data = text.encode()
    return Job(blob_id(data), "python", path, data)


def program(tmp_path: Path, text: str = ECHO) -> list[str]:
    script = tmp_path / "worker.py"
    script.write_text(text.format(path=[entry for entry in sys.path if entry]))
    return [str(script)]


@pytest.mark.parametrize("harm", ["die", "hang", "babble"])
def test_a_job_that_takes_its_process_along_costs_only_itself(tmp_path: Path, harm: str) -> None:
    """The culprit is skipped with a reason; the others of its batch are prepared."""
    jobs = [job("first = 1\n", "a.py"), job(f"{harm} = 2\n", "b.py"), job("third = 3\n", "c.py")]
    with Worker(Words(), patience=3.0, program=program(tmp_path)) as worker:
        done = worker.prepare(jobs)
    assert [one.skip for one in done] == ["", "the parser crashed or did not end", ""]
    assert [one.path for one in done] == ["a.py", "b.py", "c.py"]


@pytest.mark.parametrize("text", ["raise SystemExit(3)", "print('hello')", "import no_such_module"])
def test_a_program_that_never_answers_blames_no_job(tmp_path: Path, text: str) -> None:
    """Where no worker can run, the work is done in this process."""
    with Worker(Words(), patience=5.0, program=program(tmp_path, text)) as worker:
        done = worker.prepare([job("first = 1\n"), job("die = 2\n", "b.py")])
    assert [one.skip for one in done] == ["", ""]
    assert all(one.terms for one in done)


def test_many_jobs_come_back_once_each_and_few_need_no_process() -> None:
    """Whoever prepares them, the contents are the same."""
    jobs = [job(f"def number_{n}():\n    return {n}\n" * 40, f"m{n}.py") for n in range(400)]
    many = sorted(one.path for one in prepare_all(iter(jobs), Words(), n_workers=2))
    few = sorted(one.path for one in prepare_all(iter(jobs), Words(), n_workers=1))
    assert sorted(one.path for one in jobs) == many == few


def test_a_consumer_that_leaves_early_leaves_no_process_behind() -> None:
    """Closing the stream of results ends the workers."""
    jobs = (job(f"value_{n} = {n}\n" * 500, f"m{n}.py") for n in range(400))
    results = prepare_all(jobs, Words(), n_workers=2)
    next(results)
    results.close()
