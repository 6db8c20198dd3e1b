"""What is known about a run, as the ranking takes it: stack traces, and functions that recordings weigh."""

from __future__ import annotations

from callsite.evidence.traces.values import Trace
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
class Evidence:
    """Material about a run; nothing of it is stored."""

    traces: tuple[Trace, ...] = ()
    recorded: tuple[Recorded, ...] = ()


NO_EVIDENCE = Evidence()
