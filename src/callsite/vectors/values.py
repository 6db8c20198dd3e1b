"""What does filling vectors cost, how far is it, what came of it? Frozen values."""

from __future__ import annotations

from collections.abc import Mapping

from callsite.values import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run would do."""

    n_files: int  #: with at least one chunk to be embedded
    n_chunks: int  #: without a vector
    n_texts: int  #: different ones among them
    n_cached: int  #: of these, how many were paid for before
    n_requests: int
    n_tokens: int  #: of the texts to be paid for; an estimate, rather too high
    cost: float  #: in the currency of the price
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is."""

    n_done: int  #: chunks with an outcome
    n_all: int  #: chunks that lacked a vector when it began
    per_second: float
    seconds_left: float | None  #: None as long as nothing can be said


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run did."""

    n_written: int = 0
    n_gone: int = 0  #: chunks that were deleted meanwhile
    n_changed: int = 0  #: chunks that got a vector, or another content, from somebody else meanwhile
    n_failed: int = 0
    n_truncated: int = 0  #: texts of which only the beginning was embedded
    n_embedded: int = 0  #: texts that were paid for
    n_cached: int = 0  #: texts that were paid for before
    n_requested_tokens: int = 0  #: estimate for what was paid
    seconds: float = 0.0
    problems: Mapping[str, int] = field(default_factory=dict)  #: why chunks failed, and how many of each

    @property
    def n_done(self) -> int:
        return self.n_written + self.n_gone + self.n_changed + self.n_failed
