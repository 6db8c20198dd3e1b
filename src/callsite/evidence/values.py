"""What is known about a run, as the ranking takes it: traces, failing tests, functions that recordings weigh."""

from __future__ import annotations

from callsite.evidence.traces.values import FailedTest, Trace
from callsite.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A function that a chosen recording went through."""

    path: str  #: as recorded
    line: int  #: 0 when unknown
    function: str  #: its own name
    weight: float  #: 0 to 1
    said: str = ""  #: why, for people


@dataclass(frozen=True, slots=True, kw_only=True)
class DataRequest:
    """A request that was served or sent, or a statement of SQL, without any value of the run."""

    kind: str  #: server, client or query
    title: str  #: `GET /items/{id} (404)`, or the statement
    text: str  #: all that it can be found by
    file: str  #: of the recording where it was seen first
    event: int  #: there; 0 when only AppMap's index of it was read
    recording: str  #: name of that recording
    weight: float  #: of that recording, 0 to 1
    functions: tuple[Recorded, ...] = ()  #: behind it


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Material about a run; nothing of it is stored."""

    traces: tuple[Trace, ...] = ()
    recorded: tuple[Recorded, ...] = ()
    failed: tuple[FailedTest, ...] = ()  #: with their code, where it is known


NO_EVIDENCE = Evidence()
