"""Where does evidence land in this tree, and where not and why? The same rules as for an answer, for every frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from callsite.evidence.traces.run import Run
from callsite.evidence.traces.values import FailedTest, Frame, Trace
from callsite.evidence.values import Recorded
from callsite.index.snapshot import Snapshot
from callsite.retrieval.contents import Contents
from callsite.retrieval.frames import Located, locate
from callsite.retrieval.places import Pointed, definers, meant_chunks, path_index
from callsite.retrieval.tested import named_by, place_of, with_lines
from callsite.text.words import Words
from callsite.types import Landing, Understood

_MOST_NAMED = 10  # definitions that are listed of a test
_NOTES = {"dependency": "of a dependency", "runtime": "of the language itself", "runner": "of a test runner"}


def land_traces(snapshot: Snapshot, traces: Sequence[Trace]) -> tuple[Understood, ...]:
    """What was understood of stack traces, innermost frames first."""
    found = locate(traces, snapshot.once(path_index), partial(definers, snapshot))
    located = {(one.frame, one.error): one for one in found}
    return tuple(
        Understood(
            kind="trace",
            language=trace.language,
            title=": ".join(filter(None, (trace.error, trace.message))),
            landings=tuple(_of_frame(snapshot, frame, located.get((frame, trace.error))) for frame in trace.frames),
        )
        for trace in traces
    )


def land_run(snapshot: Snapshot, run: Run, words: Words) -> tuple[Understood, ...]:
    """What was understood of a text: its failing tests, then its stack traces; what was not read is a problem."""
    tests = [_land_test(snapshot, test, words) for test in run.failed.tests]
    found = (*tests, *land_traces(snapshot, run.traces))
    if not run.problems:
        return found
    return (*found, Understood(kind="text", title="the text", landings=(), problems=run.problems))


def _land_test(snapshot: Snapshot, test: FailedTest, words: Words) -> Understood:
    """A failing test, where it stands, and what its lines name."""
    place = place_of(snapshot, test, words)
    own = Landing(
        written=(f"{test.path}:{test.line}" if test.line else test.path) or test.owner,
        function=test.name,
        path=place.file.path if place else "",
        first_line=place.first_line if place else 0,
        last_line=place.last_line if place else 0,
        weight=1.0 if place else 0.0,
        note="" if place else "no such test here, or more than one",
    )
    said = ": ".join(filter(None, (test.error, test.message)))
    title = " ".join(filter(None, (test.owner, test.name or test.path)))
    return Understood(
        kind="test",
        language=test.runner,
        title=f"{title} - {said}" if said else title,
        landings=(own, *_land_named(snapshot, with_lines(snapshot, test, place))),
    )


def _land_named(snapshot: Snapshot, test: FailedTest) -> list[Landing]:
    landings = []
    for one in named_by(snapshot, [test])[:_MOST_NAMED]:
        line = snapshot.line(one.definition, one.name)
        pointed = Pointed(kind="failing test", line=line, function=one.name, weight=one.weight)
        landings.append(_landing(snapshot, one.definition.file, pointed, one.name, note=""))
    return landings


def land_recorded(snapshot: Snapshot, recorded: Iterable[Recorded]) -> tuple[Landing, ...]:
    """Where recorded functions are today, the heaviest first."""
    index = snapshot.once(path_index)
    landings = []
    for one in recorded:
        files = index.written(one.path)
        pointed = Pointed(kind="recorded", line=one.line, function=one.function, weight=one.weight)
        written = f"{one.path}:{one.line}" if one.line else one.path
        landings.append(_landing(snapshot, files[0] if files else None, pointed, written, note="no such file here"))
    return tuple(landings)


def _of_frame(snapshot: Snapshot, frame: Frame, located: Located | None) -> Landing:
    written = (f"{frame.path}:{frame.line}" if frame.line else frame.path) or frame.owner
    weight = located.weight if located else 0.0
    pointed = Pointed(kind="frame", line=frame.line, function=frame.function, weight=weight)
    note = _NOTES.get(frame.origin, "no such file here, or more than one")
    return _landing(snapshot, located.file if located else None, pointed, written, note=note)


def _landing(snapshot: Snapshot, file: int | None, pointed: Pointed, written: str, *, note: str) -> Landing:
    found = snapshot.files([file]).get(file) if file is not None else None
    if found is None:
        return Landing(written=written, function=pointed.function, note=note if file is None else "not searched")
    chunks = meant_chunks(Contents(snapshot).chunks(found.content), pointed)
    return Landing(
        written=written,
        function=pointed.function,
        path=found.path,
        first_line=min((chunk.first_line for chunk in chunks), default=0),
        last_line=max((chunk.last_line for chunk in chunks), default=0),
        weight=pointed.weight,
        note="" if chunks else "the file is here, the line and the function are not",
    )
