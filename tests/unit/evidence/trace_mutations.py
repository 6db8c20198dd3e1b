"""A campaign against the reading of traces and of what test runners print: damaged texts, each of a seed and a number.

The test suite runs a small part; `scripts/stress --evidence` is for long runs. Any exception is a failure, with a note
that tells which text it was.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

from runner_samples import RUNNER_SAMPLES
from trace_samples import SAMPLES

from callsite.engine import Engine
from callsite.evidence.traces.read import without_traces
from callsite.evidence.traces.run import read_run

_TEXTS = (*SAMPLES.values(), *RUNNER_SAMPLES.values())
_JUNK = (
    "\0", "\x1b[31m", "\ud83d", "\u202e", "\u2028", "\r", "\t", " ", "(", ")", "[", "<", ">", ":", "::", "'", '"', "`",
    "/", "\\", ".", "@", "#", "$", "|", "99999999999999999999", "-1", "0x", "٣", "ß", "漢字", "🙂", "at ", "in ",
    " line ", "File ", "Caused by: ", "panic: ", "Error: ", "```", "&lt;", "%s", "e\u0301", "C:\\", "node_modules/",
    "site-packages/", "FAILED ", "FAIL", " > ", " › ", "● ", "1) ", "___", "<testcase ", "::",
    "--- FAIL: ", " ... FAILED",
)  # fmt: skip
_LONGEST = 60_000  # characters of a line, three times what is read of one
_ASKED_EVERY = 20
_MOST = 4_000_000  # of a text, as much as the command line reads of a file


def campaign(
    n: int, *, seed: int, engine: Engine | None = None, report: Callable[[int, int], None] | None = None
) -> Counter[str]:
    """Read n damaged texts, every twentieth in an answer too; how many traces of each language were seen."""
    seen: Counter[str] = Counter()
    for number in range(n):
        text = damaged(seed, number)
        try:
            seen.update(_languages(text))
            if engine is not None and number % _ASKED_EVERY == 0:
                _ask(engine, text)
        except Exception as error:
            error.add_note(f"text {number} of seed {seed}")
            raise
        if report is not None:
            report(number + 1, n)
    return seen


def damaged(seed: int, number: int) -> str:
    """A text that holds one or two traces in which something is wrong."""
    chance = random.Random(f"{seed} {number}")
    lines = chance.choice(_TEXTS).split("\n")
    for _ in range(chance.choice((1, 1, 2, 4, 10))):
        chance.choice(_WAYS)(lines, chance)
    return "\n".join(lines)[:_MOST]


def _languages(text: str) -> list[str]:
    run = read_run(text)
    n_lines = text.replace("\r\n", "\n").count("\n") + 1
    for trace in run.traces:
        assert 1 <= trace.first_line <= trace.last_line <= n_lines
        assert trace.frames
        assert all(frame.path or frame.function or frame.owner for frame in trace.frames)
        assert all(trace.first_line <= line <= trace.last_line for line in trace.frame_lines)
    for test in run.failed.tests:
        assert 1 <= test.first_line <= n_lines
        assert test.name or test.path or test.owner
    parted = without_traces(text, run.traces, run.failed)
    said = [(one.error, one.message) for one in run.traces] + [(one.error, one.message) for one in run.failed.tests]
    assert len(parted.text) <= len(text) + sum(len(error) + len(message) + 3 for error, message in said)
    return [trace.language for trace in run.traces] + [f"tests of {test.runner}" for test in run.failed.tests]


def _ask(engine: Engine, text: str) -> None:
    engine.evidence(text)
    assert sum(len(hit.text) for hit in engine.context(text, budget=2_000).hits) <= 2_000
    engine.context("the total is wrong", evidence=[text])


def _place(line: str, chance: random.Random) -> int:
    return chance.randrange(len(line) + 1)


def _cut_text(lines: list[str], chance: random.Random) -> None:
    at = chance.randrange(len(lines))
    if chance.random() < 0.5:
        del lines[at + 1 :]
    else:
        del lines[:at]


def _cut_line(lines: list[str], chance: random.Random) -> None:
    at = chance.randrange(len(lines))
    here = _place(lines[at], chance)
    lines[at] = lines[at][:here] if chance.random() < 0.5 else lines[at][here:]


def _remove_line(lines: list[str], chance: random.Random) -> None:
    if len(lines) > 1:
        del lines[chance.randrange(len(lines))]


def _double_lines(lines: list[str], chance: random.Random) -> None:
    at = chance.randrange(len(lines))
    lines[at:at] = lines[at : at + chance.choice((1, 2, 5))] * chance.choice((1, 2, 300))
    del lines[3_000:]


def _join_lines(lines: list[str], chance: random.Random) -> None:
    at = chance.randrange(len(lines))
    end = at + chance.choice((2, 2, 3, 30))
    lines[at:end] = [chance.choice(("", " ", "\\n", "\t")).join(lines[at:end])]


def _split_line(lines: list[str], chance: random.Random) -> None:
    at = chance.randrange(len(lines))
    here = _place(lines[at], chance)
    lines[at : at + 1] = [lines[at][:here], lines[at][here:]]


def _swap_lines(lines: list[str], chance: random.Random) -> None:
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]


def _swap_characters(lines: list[str], chance: random.Random) -> None:
    at = chance.randrange(len(lines))
    line = list(lines[at])
    for _ in range(3):
        if line:
            one, other = chance.randrange(len(line)), chance.randrange(len(line))
            line[one], line[other] = line[other], line[one]
    lines[at] = "".join(line)


def _insert_junk(lines: list[str], chance: random.Random) -> None:
    for _ in range(chance.choice((1, 3, 20))):
        at = chance.randrange(len(lines))
        here = _place(lines[at], chance)
        lines[at] = lines[at][:here] + chance.choice(_JUNK) + lines[at][here + chance.randrange(2) :]


def _lengthen(lines: list[str], chance: random.Random) -> None:
    """A piece of a line, or junk, again and again."""
    at = chance.randrange(len(lines))
    line = lines[at]
    start = _place(line, chance)
    piece = line[start : start + chance.randrange(1, 30)] or chance.choice(_JUNK)
    lines[at] = (line[:start] + piece * (chance.choice((50, 1_000, _LONGEST)) // len(piece)) + line[start:])[:_LONGEST]


def _mix(lines: list[str], chance: random.Random) -> None:
    """The lines of another trace between these, as of two threads."""
    for line in chance.choice(_TEXTS).split("\n"):
        lines.insert(chance.randrange(len(lines) + 1), line)


def _prefix(lines: list[str], chance: random.Random) -> None:
    before = chance.choice(("> ", "    ", "2026-01-02T03:04:05Z app[1]: ", "| ", "E   ", "#12 ", *_JUNK))
    lines[:] = [before + line for line in lines]


_WAYS = (
    _cut_text, _cut_line, _remove_line, _double_lines, _join_lines, _split_line, _swap_lines, _swap_characters,
    _insert_junk, _lengthen, _mix, _prefix,
)  # fmt: skip
