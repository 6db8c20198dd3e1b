"""What does a queue in a table decide? What is taken, done, due again, waiting or dead; a `Table` keeps it.

Whoever settles something looks first whether the token of his take still stands there. That is all the fencing there
is: a lease that ran out and was not given to anybody else does no harm.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from random import random
from typing import Any, Protocol, TypeVar

from callsite.errors import QueryError
from callsite.queue import statements as say
from callsite.queue.reference import Reference, parsed, routing_text, text_of
from callsite.queue.seam import DeadLetters, Queue
from callsite.queue.values import (
    LIMITED,
    MOST_IN_ERROR,
    MOST_IN_MESSAGE,
    Batch,
    DeadLetter,
    Failed,
    Policy,
    Statistics,
    Taken,
    checked,
    delay_after,
    one_line,
)

Result = TypeVar("Result")
Row = tuple[Any, ...]
_AT_ONCE = 5_000  # entries that one transaction changes, so that others get their turn
MOST_TAKEN = 10_000


class Speaking(Protocol):
    """A transaction of a table."""

    def rows(self, statement: str, *values: object) -> Sequence[Row]:
        """What a statement gives; lists of numbers are values too."""

    def each(self, statement: str, rows: Sequence[Row]) -> None:
        """Run a statement for each of these rows."""

    def track(self, rows: Sequence[Row], now: float) -> None:
        """Put in (text, routing, slot), or note that they were tracked again."""

    def next_token(self) -> int:
        """A number larger than all that were given out before."""


class Table(Protocol):
    """Where entries lie. What runs in it may be run twice, when it is not known whether the first time was kept."""

    def now(self) -> float:
        """Seconds since 1970, by the clock that all who share the table go by."""

    def reading(self, doing: str, work: Callable[[Speaking], Result]) -> Result:
        """What the work gives."""

    def writing(self, doing: str, work: Callable[[Speaking], Result]) -> Result:
        """What the work gives, once it is kept."""

    def close(self) -> None:
        """Give back connections and files; closing twice is fine."""


class TableQueue(Queue):
    """A queue in a table, whichever keeps it."""

    def __init__(self, table: Table, *, policy: Policy, chance: Callable[[], float] = random) -> None:
        """`chance` gives numbers from 0 to 1, by which delays differ."""
        self._table = table
        self._policy = checked(policy)
        self._chance = chance
        self._dead = TableDeadLetters(table)

    @property
    def dead(self) -> DeadLetters:
        return self._dead

    def track(self, references: Iterable[Reference]) -> None:
        rows = {text: (text, routing_text(one.routing), zlib.crc32(text.encode())) for text, one in _texts(references)}
        ordered = [rows[text] for text in sorted(rows)]  # all lock in one order
        for some in _portions(ordered):
            self._track(some, self._table.now())

    def take(self, limit: int, *, lease: float, shard: int | None = None) -> Batch:
        if not 1 <= limit <= MOST_TAKEN or lease <= 0 or (shard is not None and shard < 0):
            raise QueryError(
                f"take 1 to {MOST_TAKEN} references for more than 0 seconds from a shard that is 0 or more"
            )
        now = self._table.now()
        due = (say.DUE, now, limit) if shard is None else (say.DUE_IN_SHARD, now, shard, limit)
        while True:
            batch = self._table.writing("taking", lambda speaking: self._take(speaking, due, now, lease))
            if batch is not None:
                return batch

    def extend(self, batch: Batch, *, lease: float) -> int:
        until = self._table.now() + lease

        def work(speaking: Speaking) -> int:
            held = list(_held(speaking, batch, batch.items))
            speaking.rows(say.EXTEND, until, held)
            return len(held)

        return self._table.writing("extending a lease", work)

    def acknowledge(self, batch: Batch, items: Iterable[Taken]) -> list[str]:
        settled, now = list(items), self._table.now()

        def work(speaking: Speaking) -> list[str]:
            held = _held(speaking, batch, settled)
            outcomes = [
                "lost" if one.number not in held else "again" if held[one.number] else "done" for one in settled
            ]
            _change(speaking, say.DONE, (), settled, outcomes, "done")
            _change(speaking, say.AGAIN, (now, now), settled, outcomes, "again")
            return outcomes

        return self._table.writing("acknowledging", work)

    def fail(self, batch: Batch, failures: Mapping[Taken, Failed]) -> list[str]:
        now = self._table.now()

        def work(speaking: Speaking) -> list[str]:
            held = _held(speaking, batch, failures)
            became = [self._after(one, failed, now, held) for one, failed in failures.items()]
            outcomes = [outcome for outcome, _ in became]
            speaking.each(say.WAIT, [row for outcome, row in became if outcome == "waiting"])
            speaking.each(say.DIE, [row for outcome, row in became if outcome == "dead"])
            _change(speaking, say.AGAIN, (now, now), list(failures), outcomes, "again")
            return outcomes

        return self._table.writing("noting failures", work)

    def statistics(self, *, routing: int | str | None = None) -> Statistics:
        now = self._table.now()
        statement = say.STATISTICS if routing is None else say.STATISTICS + say.OF_ROUTING
        values = () if routing is None else (routing_text(routing),)
        row = self._table.reading("counting", lambda speaking: speaking.rows(statement, now, now, *values))[0]
        queued, due, leased, dead, tracked = row
        return Statistics(
            queued=queued,
            due=due,
            leased=leased,
            waiting=queued - due - leased,
            dead=dead,
            oldest=None if tracked is None else max(0.0, now - tracked),
        )

    def close(self) -> None:
        self._table.close()

    def _track(self, rows: Sequence[Row], now: float) -> None:
        self._table.writing("tracking", lambda speaking: speaking.track(rows, now))

    def _after(self, one: Taken, failed: Failed, now: float, held: Mapping[int, bool]) -> tuple[str, Row]:
        """What becomes of a failure, and the values of the statement that notes it."""
        if one.number not in held:
            return "lost", ()
        tries = one.tries + (failed.delay != LIMITED)
        delay = delay_after(failed, tries, self._policy, self._chance())
        if delay is None and held[one.number]:
            return "again", ()
        told = (tries, one_line(failed.error, MOST_IN_ERROR), one_line(failed.message, MOST_IN_MESSAGE), one.number)
        return ("dead", (now, *told)) if delay is None else ("waiting", (now + delay, *told))

    def _take(self, speaking: Speaking, due: tuple[Any, ...], now: float, lease: float) -> Batch | None:
        """A batch; None when all that was found had to be given up, so that there may be more."""
        found = speaking.rows(*due)
        lost = {number: n_lost for number, _, _, _, n_lost in found}
        hopeless = [row for row in found if lost[row[0]] >= self._policy.most_lost]
        speaking.each(say.DIE, [(now, tries, *_gave_up(lost[number]), number) for number, _, _, tries, _ in hopeless])
        chosen = [row for row in found if lost[row[0]] < self._policy.most_lost]
        if not chosen:
            return None if hopeless else Batch(token=0, items=())
        trusted = [row for row in chosen if lost[row[0]] < self._policy.alone_from]
        if lost[chosen[0][0]] >= self._policy.alone_from:
            trusted = chosen[:1]
        token = speaking.next_token()
        speaking.rows(say.LEASE, token, now + lease, [row[0] for row in trusted])
        return Batch(token=token, items=tuple(_taken(row) for row in trusted))


class TableDeadLetters(DeadLetters):
    """The dead of a table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def listed(
        self, *, routing: int | str | None = None, error: str | None = None, after: int = 0, limit: int = 100
    ) -> tuple[DeadLetter, ...]:
        if limit < 1:
            raise QueryError("a page of dead letters has 1 or more")
        chosen = (None if routing is None else routing_text(routing), error)
        rows = self._table.reading("listing", lambda speaking: speaking.rows(say.DEAD, *chosen, after, limit))
        return tuple(_letter(row) for row in rows)

    def replay(self, *, routing: int | str | None = None, error: str | None = None) -> int:
        now = self._table.now()
        return self._change("replaying", (say.REPLAY, now, now), routing, error)

    def clear(self, *, routing: int | str | None = None, error: str | None = None) -> int:
        return self._change("clearing", (say.DONE,), routing, error)

    def _change(self, doing: str, change: tuple[Any, ...], routing: int | str | None, error: str | None) -> int:
        """Portion by portion, so that others get their turn; those who die meanwhile may stay."""
        n_changed, after = 0, 0
        while page := self.listed(routing=routing, error=error, after=after, limit=_AT_ONCE):
            after = page[-1].number
            numbers = [letter.number for letter in page]

            def work(speaking: Speaking, numbers: list[int] = numbers) -> int:
                still = [row[0] for row in speaking.rows(say.DEAD_STILL, numbers)]
                speaking.rows(*change, still)
                return len(still)

            n_changed += self._table.writing(doing, work)
        return n_changed


def _texts(references: Iterable[Reference]) -> Iterable[tuple[str, Reference]]:
    return ((text_of(one), one) for one in references)


def _portions(rows: Sequence[Row]) -> Iterable[list[Row]]:
    left = iter(rows)
    while some := list(islice(left, _AT_ONCE)):
        yield some


def _held(speaking: Speaking, batch: Batch, items: Iterable[Taken]) -> dict[int, bool]:
    """Number of those that nobody else has taken since → whether it was tracked meanwhile."""
    versions = {one.number: one.version for one in items}
    rows = speaking.rows(say.HELD, batch.token, list(versions))
    return {number: version != versions[number] for number, version in rows}


def _change(
    speaking: Speaking, statement: str, values: Row, items: Sequence[Taken], outcomes: Sequence[str], outcome: str
) -> None:
    numbers = [one.number for one, became in zip(items, outcomes, strict=True) if became == outcome]
    if numbers:
        speaking.rows(statement, *values, numbers)


def _gave_up(n_lost: int) -> tuple[str, str]:
    return "LeaseLost", f"{n_lost} workers in a row took it and never came back; look at what it makes them do"


def _taken(row: Row) -> Taken:
    number, text, version, tries, _ = row
    return Taken(number=number, version=version, text=text, reference=parsed(text), tries=tries)


def _letter(row: Row) -> DeadLetter:
    number, text, error, message, tries, died = row
    return DeadLetter(
        number=number, text=text, reference=parsed(text), error=error, message=message, tries=tries, died=died
    )
