"""How is a queue worked off? Batch by batch: preprocessors in their order, then one handler for each kind.

What is to be done with a reference, written or removed, is the handler's to find out: it looks at how things are now.
Handlers have to bear being given the same reference twice, as they are after a worker was killed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

from callsite.queue.keeping import kept
from callsite.queue.seam import Queue
from callsite.queue.settling import Settling
from callsite.queue.values import NEVER, Batch, Failed, Taken
from callsite.queue.working import Handler, Preprocessor, Report, Work, asked, prepared

Keeping = Callable[[Queue, Batch, float], AbstractContextManager[None]]


def drain(
    queue: Queue,
    handlers: Mapping[str, Handler],
    *,
    preprocessors: Sequence[Preprocessor] = (),
    limit: int = 500,
    lease: float = 300.0,
    shard: int | None = None,
    most: int | None = None,
    stop: Callable[[], bool] = lambda: False,
    keeping: Keeping = kept,
) -> Report:
    """Work off what is due, until nothing is, `most` references were taken, or `stop` says so between two batches.

    Any number of workers may do so at once, in threads and processes. A batch that takes longer than its lease is kept,
    for an hour at most. Errors of the queue itself are raised; then what was taken comes back when its lease ends.
    """
    settling, is_stopped = Settling(queue), False
    while most is None or settling.n_taken < most:
        is_stopped = stop()
        if is_stopped:
            break
        batch = queue.take(limit if most is None else min(limit, most - settling.n_taken), lease=lease, shard=shard)
        if not batch.items:
            break
        with keeping(queue, batch, lease), settling.of(batch):
            _process(batch, handlers, preprocessors, settling)
    return settling.report(is_stopped=is_stopped)


def _process(
    batch: Batch, handlers: Mapping[str, Handler], preprocessors: Sequence[Preprocessor], settling: Settling
) -> None:
    by_kind = _by_kind(batch.items, handlers, settling)
    works = [Work(reference=one.reference) for items in by_kind.values() for one in items if one.reference is not None]
    for preprocessor in preprocessors:
        found = prepared(preprocessor, works)
        settling.drop(found.dropped)
        settling.fail(found.failed)
        works = list(found.passed)
    for kind in by_kind:
        of_kind = [work for work in works if work.reference.kind == kind]
        if of_kind:
            failed = asked(handlers[kind], of_kind)
            settling.fail(failed)
            settling.acknowledge([work.reference for work in of_kind if work.reference not in failed])


def _by_kind(items: Sequence[Taken], handlers: Mapping[str, Handler], settling: Settling) -> dict[str, list[Taken]]:
    """Those that somebody handles; the others are dead letters from now on."""
    by_kind: dict[str, list[Taken]] = {}
    strange: dict[Taken, Failed] = {}
    for one in items:
        if one.reference is None:
            strange[one] = Failed(error="DamagedReference", message="its text is none of a reference", delay=NEVER)
        elif one.reference.kind not in handlers:
            message = f"this worker handles {', '.join(sorted(handlers)) or 'nothing'}, not {one.reference.kind}"
            strange[one] = Failed(error="UnknownKind", message=message, delay=NEVER)
        else:
            by_kind.setdefault(one.reference.kind, []).append(one)
    settling.fail_taken(strange)
    return by_kind
