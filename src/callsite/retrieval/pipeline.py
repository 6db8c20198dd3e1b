"""The whole answer on one screen: question → candidates → signals → files → spans → hits.

Each step is a plain function of what the steps before it found; each change of a score is a labelled Reason, so that
the reasons of a hit add up to its score. Evidence, history and vectors are further legs and signals of the same kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from callsite.evidence.values import Evidence, Recorded
from callsite.index.query import Scope
from callsite.index.snapshot import Snapshot
from callsite.retrieval.candidates import Candidates, find_candidates
from callsite.retrieval.contents import Contents
from callsite.retrieval.pack import Packed, pack
from callsite.retrieval.score import Ranked, rank_files, signals_of
from callsite.retrieval.spans import competing_spans, list_spans
from callsite.text.paths import PathTerms
from callsite.text.question import Question, understand
from callsite.text.words import Words
from callsite.types import Hit
from callsite.values import dataclass, replace

#: The recorded functions that count for a question.
RecordedFor = Callable[[Question], tuple[Recorded, ...]]


def _nothing(_: Question) -> tuple[Recorded, ...]:
    return ()


_LEAST_TRACE = 200  # characters of a question of one line that may hold a trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Everything that came into question, in order."""

    found: Candidates
    files: Sequence[Ranked]

    @property
    def question(self) -> Question:
        """The question, understood."""
        return self.found.question


def rank(
    snapshot: Snapshot,
    text: str,
    words: Words,
    path_terms: PathTerms,
    *,
    scope: Scope,
    evidence: Sequence[str] = (),
    recorded: RecordedFor = _nothing,
    limit: int | None = None,
) -> Ranking:
    """The files that answer a question, best first; at most `limit`.

    evidence: texts that belong to it. recorded: says what recordings weigh for it.
    """
    found = gather(snapshot, text, words, scope, evidence=evidence, recorded=recorded)
    signals = signals_of(found, snapshot.view, path_terms)
    return Ranking(found=found, files=rank_files(found, signals, limit=limit))


def gather(
    snapshot: Snapshot,
    text: str,
    words: Words,
    scope: Scope,
    *,
    evidence: Sequence[str] = (),
    recorded: RecordedFor = _nothing,
) -> Candidates:
    """What comes into question: the text is understood, its stack traces and failing tests apart from the rest."""
    if not evidence and "\n" not in text.strip() and len(text) < _LEAST_TRACE:
        question = understand(text, words)
        return find_candidates(snapshot, question, scope, Evidence(recorded=recorded(question)))
    from callsite.evidence.traces.read import without_traces  # costs 3 ms that a short question saves
    from callsite.evidence.traces.run import read_run

    run = read_run(text, evidence)
    failed = run.failed
    if failed.tests:
        from callsite.retrieval.tested import with_code

        failed = replace(failed, tests=with_code(snapshot, failed.tests, words))
    parted = without_traces(run.text, run.traces, failed, run.outputs)
    called = [frame.function for one in run.traces for frame in one.frames if frame.function]
    question = understand(parted.text, words, shown=parted.shown, frames=parted.frames, called=called)
    if failed.tests:  # a question about failing tests says so without asking to see them
        question = replace(question, asks=question.asks - {"tests"})
    known = Evidence(traces=run.traces, recorded=recorded(question), failed=failed.tests)
    found = find_candidates(snapshot, question, scope, known)
    return replace(found, problems=run.problems)


def answer(
    snapshot: Snapshot, ranking: Ranking, *, n: int, budget: int | None, types: tuple[str, ...] = ()
) -> list[Hit]:
    """The hits of a ranking: at most `n`, together at most `budget` characters."""
    contents = Contents(snapshot)
    choose = list_spans if budget is None else competing_spans
    spans = choose(snapshot, contents, ranking.found, ranking.files, types=types)
    return [_hit(packed, contents) for packed in pack(contents, spans, n=n, budget=budget)]


def _hit(packed: Packed, contents: Contents) -> Hit:
    span, file = packed.span, packed.span.ranked.file
    chunk = contents.chunks(file.content)[span.ordinal]
    return Hit(
        path=file.path,
        first_line=packed.first_line,
        last_line=packed.last_line,
        type=chunk.type,
        name=chunk.name,
        language=file.language,
        score=span.score,
        reasons=span.reasons(),
        source=f"{file.digest}:{chunk.start}:{chunk.length}:{chunk.first_line}",
        text=packed.text,
        id=contents.chunk_id(file, chunk),
    )
