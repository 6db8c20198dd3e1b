"""The program of a worker process: lists of jobs come in on stdin, lists of prepared contents go out on stdout."""

from __future__ import annotations

import gc
import os
import pickle
import sys

from callsite.indexing.prepare import prepare
from callsite.text.words import Words

_YOUNG_OBJECTS = 50_000  # what is made for one file goes by itself: looking for circles in it takes 2 % of the time


def main() -> None:
    """Serve until stdin ends. Whatever a parser prints goes to stderr, never between the answers."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    gc.set_threshold(_YOUNG_OBJECTS)
    words = Words()
    while True:
        try:
            jobs = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump([prepare(job, words) for job in jobs], answers, protocol=5)
        answers.flush()


if __name__ == "__main__":
    main()
