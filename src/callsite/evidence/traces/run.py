"""What do the texts of a question say of a run? Stack traces, failing tests, and what could not be read."""

from __future__ import annotations

from collections.abc import Sequence

from callsite.evidence.traces.failed import Failed, read_failed
from callsite.evidence.traces.lines import lines_of
from callsite.evidence.traces.read import traces_of
from callsite.evidence.traces.values import Trace
from callsite.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What was read; lines count from 1 in `text`."""

    text: str  #: all texts
    traces: tuple[Trace, ...]
    failed: Failed
    outputs: tuple[range, ...]  #: the lines of those texts of evidence that a test runner printed
    problems: tuple[str, ...]


def read_run(question: str, evidence: Sequence[str] = ()) -> Run:
    """Read a question and the texts that belong to it."""
    texts = [text.replace("\r\n", "\n") for text in (question, *evidence)]
    text = "\n\n".join(texts)
    read = lines_of(text)
    traces = traces_of(read.lines)
    failed = read_failed(read.lines, traces)
    return Run(
        text=text,
        traces=traces,
        failed=failed,
        outputs=_outputs(texts, failed),
        problems=(*read.problems, *failed.problems),
    )


def _outputs(texts: Sequence[str], failed: Failed) -> tuple[range, ...]:
    named = [test.first_line for test in failed.tests]
    outputs, first = [], 1
    for n, text in enumerate(texts):
        lines = range(first, first + text.count("\n") + 1)
        if n and any(line in lines for line in named):
            outputs.append(lines)
        first = lines.stop + 1
    return tuple(outputs)
