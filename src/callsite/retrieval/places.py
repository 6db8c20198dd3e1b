"""Which places of this tree do a question and its evidence point at? Files by kind; lines and functions inside."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

from callsite.evidence.traces.values import FailedTest, Trace
from callsite.evidence.values import Evidence, Recorded
from callsite.index.outline import ChunkRow
from callsite.index.prepared import last_part
from callsite.index.snapshot import Snapshot
from callsite.retrieval.frames import locate
from callsite.retrieval.paths import PathIndex
from callsite.text.question import Question
from callsite.text.words import fold
from callsite.values import dataclass

_MANY_TYPES = 5  # files that define a type of one name
_PIECES_OF_FUNCTION = 3  # that are meant when its line has moved
_MANY_DEFINERS = 100  # of an imported name
_PARENT_MODULE = 3  # parts from which a dotted name also means the module around it
_IMPORTED_MODULE, _IMPORTED_NAME = 0.7, 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointed:
    """What something points at inside a file."""

    kind: str  #: frame, quoted path, recorded or failing test
    line: int  #: 0 = only the function is known
    function: str = ""  #: "" = only the line is known
    weight: float = 1.0  #: 0 to 1
    said: str = ""  #: why, for people


def last_name(name: str) -> str:
    """What is named by `Class.method`, `ns::name`, `Class#method`."""
    return re.split(r"\.|::|#", name)[-1]


def find_places(
    snapshot: Snapshot, question: Question, evidence: Evidence
) -> tuple[dict[str, dict[int, float]], Mapping[int, list[Pointed]]]:
    """Files that are pointed at, by kind: file → weight; and what is pointed at inside of each."""
    found: dict[str, dict[int, float]] = {kind: {} for kind in ("frame", "quoted path", "module", "import", "recorded")}
    pointed: dict[int, list[Pointed]] = defaultdict(list)
    if not (
        evidence.traces
        or evidence.recorded
        or evidence.failed
        or question.places
        or question.dotted
        or question.imports
    ):
        return found, {}
    index = snapshot.once(path_index)

    def note(kind: str, files: Iterable[int], weight: float) -> None:
        for file in files:
            found[kind][file] = max(found[kind].get(file, 0.0), weight)

    for file, one in chain(_of_frames(snapshot, index, evidence.traces), _of_recordings(index, evidence.recorded)):
        note(one.kind, [file], one.weight)
        pointed[file].append(one)
    for file, one in _of_tests(snapshot, evidence.failed):
        pointed[file].append(one)
    for place in question.places:
        files = index.written(place.path)
        note("quoted path", files, place.weight)
        for file in files if place.line else ():
            pointed[file].append(Pointed(kind="quoted path", line=place.line))
    for name, weight in question.dotted.items():
        note("module", index.module(name), weight)
        parent = re.split(r"\.|::|#", name)[:-1]
        if len(parent) >= _PARENT_MODULE - 1:
            note("module", index.module(".".join(parent)), weight)
    _note_imports(snapshot, question, index, note)
    return found, pointed


def _of_frames(snapshot: Snapshot, index: PathIndex, traces: Sequence[Trace]) -> Iterator[tuple[int, Pointed]]:
    for one in locate(traces, index, partial(definers, snapshot)):
        said = f"frame of {one.error}" if one.error else "frame of a stack trace"
        yield (
            one.file,
            Pointed(kind="frame", line=one.frame.line, function=one.frame.function, weight=one.weight, said=said),
        )


def _of_recordings(index: PathIndex, recorded: Sequence[Recorded]) -> Iterator[tuple[int, Pointed]]:
    files: dict[str, list[int]] = {}
    for one in recorded:
        if one.path not in files:
            files[one.path] = index.written(one.path)
        for file in files[one.path]:
            yield (
                file,
                Pointed(kind="recorded", line=one.line, function=one.function, weight=one.weight, said=one.said),
            )


def _of_tests(snapshot: Snapshot, failed: Sequence[FailedTest]) -> Iterator[tuple[int, Pointed]]:
    """What failing tests name. Their words find it already, so this only says why."""
    if failed:
        from callsite.retrieval.tested import named_by

        for one in named_by(snapshot, failed):
            line = snapshot.line(one.definition, one.name)
            yield (
                one.definition.file,
                Pointed(kind="failing test", line=line, function=one.name, weight=one.weight, said=one.said),
            )


def definers(snapshot: Snapshot, owner: str, function: str) -> list[int]:
    """The files that define a function of a type, else the type, else the only one with such a function; or none."""
    kind = last_name(owner)
    defined = snapshot.definitions([function, kind])
    members = [one for one in defined.get(fold(function), ()) if one.is_of(kind)]
    places = members or [one for one in defined.get(fold(kind), ()) if one.is_written(kind)]
    files = list(dict.fromkeys(one.file for one in places))
    if files:
        return files if len(files) <= _MANY_TYPES else []
    named = {one.file for one in defined.get(fold(function), ()) if one.is_written(function)}
    return list(named) if len(named) == 1 else []


def path_index(snapshot: Snapshot) -> PathIndex:
    """The paths of a snapshot; for `Snapshot.once`."""
    return PathIndex(snapshot.paths())


def _note_imports(
    snapshot: Snapshot, question: Question, index: PathIndex, note: Callable[[str, Iterable[int], float], None]
) -> None:
    defined = snapshot.definitions(name for _, name in question.imports if name)
    for module, name in question.imports:
        note("import", index.module(module), _IMPORTED_MODULE)
        same = [d for d in defined.get(fold(name), ()) if d.is_written(name)] if name else []
        exact = [d.file for d in same if not (d.owner or d.is_nested)]
        note("import", exact[:_MANY_DEFINERS], _IMPORTED_NAME)


def meant_chunks(chunks: Sequence[ChunkRow], pointed: Pointed) -> list[ChunkRow]:
    """The piece around the line if it is of the function; else the function, since lines move; else the line alone."""
    around = [chunk for chunk in chunks if chunk.first_line <= pointed.line <= chunk.last_line]
    if not pointed.function or any(last_part(chunk.name) == pointed.function for chunk in around):
        return around
    return [chunk for chunk in chunks if last_part(chunk.name) == pointed.function][:_PIECES_OF_FUNCTION] or around
