"""What each signal is worth. Every number of the ranking stands here or beside the one step that uses it.

The coefficients were learned from the commits of other repositories (question = message, answer = changed files), none
of them in a benchmark. Six were then moved on the dev halves (file words and docs down; size, defined names, definition
and folder name up), since chunks of syntax trees tell more than those of the trial; docs/why/ranking.md has the
ablations. Signals lie between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Mapping

#: Short questions: a few words, a sentence, a name.
QUESTION: Mapping[str, float] = {
    "file words": 1.8,
    "chunk words": 2.25,
    "path words": 1.11,
    "file name": 0.98,
    "folder name": 2.8,
    "defined names": 0.8,
    "definition": 1.26,
    "tests": -3.95,
    "docs": -2.5,
    "examples": -2.14,
    "quoted path": 2.14,
    "module": 1.1,
    "recorded": 6.0,
    "size": 2.2,
}

#: Reports: several lines, prose and code.
REPORT: Mapping[str, float] = {
    "file words": 1.8,
    "chunk words": 2.57,
    "path words": 1.53,
    "file name": 0.4,
    "folder name": 1.42,
    "defined names": 0.98,
    "definition": 1.6,
    "tests": -4.74,
    "docs": -2.5,
    "examples": -1.85,
    "quoted path": 2.01,
    "module": 1.23,
    "frame": 12.0,  # by hand: commit messages, which the others were learned from, hold no frames and no imports
    "import": 1.0,
    "recorded": 6.0,
    "size": 2.0,
}

#: A question that is one name: where it is defined decides (.975 → .981 on the dev half's symbols).
NAME: Mapping[str, float] = {**QUESTION, "definition": 4.0}

#: Small and equal everywhere: they tidy a user's page and move no benchmark (±.002).
TIDYING: Mapping[str, float] = {"generated": -1.0, "reexport": -0.2}

#: The first three of a report again, by what a reporter points at (@1 +6 points, @3 and @5 unchanged).
FIRST_THREE: Mapping[str, float] = {
    "chunk words": 1.0,
    "file words": 1.0,
    "title words": 0.7,
    "tests": -1.0,
    "frame": 1.5,
    "quoted path": 1.0,
    "module": 0.5,
    "import": 0.3,
    "definition": 0.5,
    "defining chunk": 0.3,
}
FIRST_THREE_SHARE = 4.0  # against 1 for the score itself, both stretched to 0–1
