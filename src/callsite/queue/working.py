"""What do preprocessors and handlers get and give? And what if they raise: halves, until those are found that fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from callsite.errors import (
    EmbedderBusy,
    EmbedderRefused,
    EmbedderUnreachable,
    InputRefused,
    StoreRefused,
    StoreUnreachable,
)
from callsite.queue.reference import Reference
from callsite.queue.values import GROWING, LIMITED, NEVER, Failed
from callsite.values import dataclass, field

#: Errors that are not about one item: to ask again for halves would only ask more often.
_OF_THE_WHOLE = (StoreUnreachable, StoreRefused, EmbedderUnreachable, EmbedderRefused)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A reference on its way to the handler, with what preprocessors found out about it."""

    reference: Reference
    known: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """What a preprocessor makes of what it was given: each reference is in one of the three."""

    passed: Sequence[Work] = ()
    dropped: Sequence[Reference] = ()  #: nothing is to be done about them
    failed: Mapping[Reference, Failed] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a worker did."""

    n_taken: int = 0
    n_done: int = 0  #: handled or dropped, and gone from the queue
    n_dropped: int = 0  #: of those that were settled well, the ones that no handler saw
    n_again: int = 0  #: tracked while they were worked on, and due again
    n_waiting: int = 0
    n_dead: int = 0
    n_lost: int = 0  #: settled too late: somebody else has them
    is_stopped: bool = False  #: it was asked to stop; there may be more


Preprocessor = Callable[[Sequence[Work]], Sorted]
#: Gives those that it could not handle; all others are done.
Handler = Callable[[Sequence[Work]], Mapping[Reference, Failed]]


def prepared(preprocessor: Preprocessor, works: Sequence[Work]) -> Sorted:
    """What it makes of them; an error is that of the items that raise it, and whatever it forgets has failed."""
    if not works:
        return Sorted()
    try:
        found = preprocessor(works)
    except Exception as error:  # noqa: BLE001 - whatever is raised concerns these items, not the worker
        if len(works) == 1 or whole_fault(error):
            return Sorted(failed=_all_failed(works, error))
        half = len(works) // 2
        return _joined(prepared(preprocessor, works[:half]), prepared(preprocessor, works[half:]))
    return _complete(found, works)


def asked(handler: Handler, works: Sequence[Work]) -> Mapping[Reference, Failed]:
    """Those that it could not handle; an error is that of the items that raise it."""
    try:
        return dict(handler(works))
    except Exception as error:  # noqa: BLE001 - as above
        if len(works) == 1 or whole_fault(error):
            return _all_failed(works, error)
        half = len(works) // 2
        return {**asked(handler, works[:half]), **asked(handler, works[half:])}


def whole_fault(error: Exception) -> bool:
    """Whether an error says nothing about single items."""
    return isinstance(error, _OF_THE_WHOLE)


def failure_of(error: Exception) -> Failed:
    """How an error counts: limits are waited for, what is not taken as it is never will be."""
    name, message = type(error).__name__, str(error)
    if isinstance(error, EmbedderBusy):
        return Failed(error=name, message=message, delay=LIMITED, seconds=error.wait)
    return Failed(error=name, message=message, delay=NEVER if isinstance(error, InputRefused) else GROWING)


def _all_failed(works: Sequence[Work], error: Exception) -> dict[Reference, Failed]:
    failed = failure_of(error)
    return {work.reference: failed for work in works}


def _joined(one: Sorted, other: Sorted) -> Sorted:
    return Sorted(
        passed=[*one.passed, *other.passed],
        dropped=[*one.dropped, *other.dropped],
        failed={**one.failed, **other.failed},
    )


def _complete(found: Sorted, works: Sequence[Work]) -> Sorted:
    """Failures go before all else; what was not given is left out."""
    passed = {work.reference: work for work in found.passed}
    dropped, failed = set(found.dropped), dict(found.failed)
    forgotten = Failed(error="Forgotten", message="a preprocessor neither passed nor dropped it, and gave no reason")
    for work in works:
        if work.reference not in passed and work.reference not in dropped:
            failed.setdefault(work.reference, forgotten)
    given = [work.reference for work in works]
    return Sorted(
        passed=[passed[one] for one in given if one in passed and one not in failed],
        dropped=[one for one in given if one in dropped and one not in passed and one not in failed],
        failed={one: failed[one] for one in given if one in failed},
    )
