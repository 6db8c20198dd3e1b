"""A worker that misbehaves on jobs that hold BAD: `unruly_worker.py exit|kill|garbage|half|wrong|hang`."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading

from callsite.indexing.prepare import prepare
from callsite.text.words import Words


def misbehave(how: str, answers: list) -> None:
    data = pickle.dumps(answers)
    if how == "exit":
        os._exit(1)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "hang":
        threading.Event().wait()
    wrong = {"garbage": b"this is no pickle\n" * 10, "half": data[: len(data) // 2], "wrong": pickle.dumps(["other"])}
    sys.stdout.buffer.write(wrong[how])
    sys.stdout.buffer.flush()
    if how != "wrong":
        os._exit(0)


words = Words()
while True:
    try:
        jobs = pickle.load(sys.stdin.buffer)
    except EOFError:
        break
    answers = [prepare(job, words) for job in jobs]
    if any(b"BAD" in job.data for job in jobs):
        misbehave(sys.argv[1], answers)
    else:
        pickle.dump(answers, sys.stdout.buffer)
        sys.stdout.buffer.flush()
