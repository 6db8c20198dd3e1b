"""The loop of a worker: preprocessors in order, a handler for each kind, successes and failures apart."""

from __future__ import annotations

from threading import Event
from threading import enumerate as enumerate_threads

import pytest
from queues import reference

from callsite.errors import EmbedderBusy, InputRefused, StoreUnreachable
from callsite.queue import NEVER, Batch, Failed, Sorted, Work, drain
from callsite.queue.keeping import kept

NAMES = [str(number) for number in range(10)]
TROUBLE = Failed(error="Trouble", message="it went wrong")


@pytest.fixture
def filled(queue):
    queue.track(reference(name) for name in NAMES)
    return queue


class Seen:
    """A handler that notes what it is given; whatever `bad` gives an error for raises it."""

    def __init__(self, bad=lambda work: None) -> None:
        self.calls: list[list[str]] = []
        self.bad = bad

    def __call__(self, works):
        self.calls.append([work.reference.id for work in works])
        for work in works:
            error = self.bad(work)
            if error is not None:
                raise error
        return {}

    @property
    def names(self) -> list[str]:
        return [name for call in self.calls for name in call]


def failing(names, failed=TROUBLE):
    return lambda works: {work.reference: failed for work in works if work.reference.id in names}


def test_all_is_handled_batch_by_batch(filled):
    """Each once, until nothing is due."""
    seen = Seen()
    report = drain(filled, {"chunk": seen}, limit=4)
    assert seen.calls == [NAMES[:4], NAMES[4:8], NAMES[8:]]
    assert (report.n_taken, report.n_done, report.is_stopped) == (10, 10, False)
    assert filled.statistics().queued == 0


def test_failures_are_apart_from_successes(filled):
    """Those that a handler names wait; all others are done."""
    report = drain(filled, {"chunk": failing("37")})
    assert (report.n_done, report.n_waiting) == (8, 2)
    assert filled.statistics().waiting == 2


def test_one_that_makes_the_handler_raise_harms_nobody(filled, clock):
    """The others are handled; it alone has failed, with the class of the error."""
    seen = Seen(lambda work: ValueError("three") if work.reference.id == "3" else None)
    report = drain(filled, {"chunk": seen})
    assert (report.n_done, report.n_waiting) == (9, 1)
    for _ in range(4):
        clock.time += 10_000
        drain(filled, {"chunk": seen})
    (letter,) = filled.dead.listed()
    assert (letter.reference.id, letter.error, letter.message) == ("3", "ValueError", "three")


def test_a_fault_of_the_whole_is_not_asked_again_for_halves(filled):
    """A store that does not answer is asked once for a batch."""
    seen = Seen(lambda work: StoreUnreachable("no answer"))
    assert drain(filled, {"chunk": seen}).n_waiting == 10
    assert len(seen.calls) == 1


def test_a_limit_is_waited_for(filled, clock):
    """As long as the embedder tells, without using up a try."""
    busy = Seen(lambda work: EmbedderBusy("slow down", wait=7))
    for _ in range(10):
        assert drain(filled, {"chunk": busy}).n_waiting == 10
        clock.time += 7
    assert drain(filled, {"chunk": Seen()}).n_done == 10


def test_what_an_embedder_never_takes_is_dead(filled):
    """To try again would only cost."""
    seen = Seen(lambda work: InputRefused("too large") if work.reference.id == "3" else None)
    report = drain(filled, {"chunk": seen})
    assert (report.n_done, report.n_dead) == (9, 1)


def test_kinds_have_their_handlers(queue):
    """What nobody handles and what can't be read are dead letters with a name."""
    queue.track([reference("a"), reference("b", kind="issue"), reference("c", kind="strange")])
    chunks, issues = Seen(), Seen()
    report = drain(queue, {"chunk": chunks, "issue": issues})
    assert (chunks.names, issues.names, report.n_done, report.n_dead) == (["a"], ["b"], 2, 1)
    (letter,) = queue.dead.listed(error="UnknownKind")
    assert letter.message == "this worker handles chunk, issue, not strange"
    assert queue.dead.replay(error="UnknownKind") == 1
    assert drain(queue, {"strange": Seen()}).n_done == 1


def test_a_damaged_text_is_a_dead_letter(place):
    """Whoever changed the table by hand finds out; those beside it are handled."""
    queue = place.open()
    queue.track(reference(name) for name in "abc")
    _damage(place)
    report = drain(queue, {"chunk": Seen()})
    assert (report.n_done, report.n_dead) == (2, 1)
    (letter,) = queue.dead.listed(error="DamagedReference")
    assert (letter.reference, letter.text) == (None, "nonsense")


def _damage(place) -> None:
    engine, where = place.child
    if engine == "sqlite":
        import sqlite3

        with sqlite3.connect(where) as file:
            file.execute("UPDATE entries SET reference = 'nonsense' WHERE number = 2")
        file.close()
    else:
        import psycopg

        schema, uri = where.split(" ", 1)
        with psycopg.connect(uri) as connection:
            connection.execute(f"UPDATE {schema}.entries SET reference = 'nonsense' WHERE number = 2")


def test_preprocessors_run_in_order(filled):
    """Each sees what those before it passed, with what they found out; what is dropped is done."""

    def contents(works):
        passed = [Work(reference=one.reference, known={"content": one.reference.id * 2}) for one in works]
        return Sorted(passed=passed[2:], dropped=[one.reference for one in works[:2]])

    def lengths(works):
        bad = {one.reference: TROUBLE for one in works if one.known["content"] == "55"}
        return Sorted(passed=[one for one in works if one.reference not in bad], failed=bad)

    known = []

    def handler(works):
        known.extend(work.known["content"] for work in works)
        return {}

    report = drain(filled, {"chunk": handler}, preprocessors=[contents, lengths])
    assert known == ["22", "33", "44", "66", "77", "88", "99"]
    assert (report.n_done, report.n_dropped, report.n_waiting) == (9, 2, 1)


def test_one_that_makes_a_preprocessor_raise_harms_nobody(filled):
    """As with handlers."""

    def choosy(works):
        if any(work.reference.id == "3" for work in works):
            raise KeyError("three")
        return Sorted(passed=works)

    seen = Seen()
    report = drain(filled, {"chunk": seen}, preprocessors=[choosy])
    assert sorted(seen.names) == [name for name in NAMES if name != "3"]
    assert (report.n_done, report.n_waiting) == (9, 1)


def test_what_a_preprocessor_forgets_has_failed(filled, clock):
    """It is not lost; what it names without having been given it is left out, and a failure goes before all else."""

    def careless(works):
        first = [work for work in works if work.reference.id != "1"]
        return Sorted(
            passed=[*first, Work(reference=reference("stranger"))],
            dropped=[reference("2"), reference("other")],
            failed={reference("3"): Failed(error="Trouble", message="", delay=NEVER), reference("more"): TROUBLE},
        )

    seen = Seen()
    report = drain(filled, {"chunk": seen}, preprocessors=[careless])
    assert seen.names == ["0", "2", "4", "5", "6", "7", "8", "9"]
    assert (report.n_done, report.n_dropped, report.n_waiting, report.n_dead) == (8, 0, 1, 1)


def test_a_handler_may_name_what_it_was_not_given(filled):
    """That is nobody's failure."""
    report = drain(filled, {"chunk": lambda works: {reference("stranger"): TROUBLE}})
    assert report.n_done == 10


def test_what_is_tracked_by_its_own_handler_comes_again(filled):
    """The handler has seen it as it was before; it is due in the same run."""
    seen = Seen()

    def handler(works):
        if not seen.calls:
            filled.track([reference("3")])
        return seen(works)

    report = drain(filled, {"chunk": handler})
    assert seen.calls == [NAMES, ["3"]]
    assert (report.n_done, report.n_again) == (10, 1)


def test_a_worker_stops_between_two_batches(filled):
    """When it is asked to, or has taken as many as it was to."""
    seen = Seen()
    report = drain(filled, {"chunk": seen}, limit=2, stop=lambda: len(seen.calls) == 2)
    assert (report.n_done, report.is_stopped) == (4, True)
    report = drain(filled, {"chunk": seen}, limit=2, most=3)
    assert (report.n_taken, report.n_done, report.is_stopped) == (3, 3, False)
    assert filled.statistics().due == 3


def test_an_interrupted_worker_gives_back_what_it_has(filled, clock):
    """Without a try; what was acknowledged before stays done."""
    filled.track([reference("x", kind="last")])

    def handler(works):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        drain(filled, {"chunk": Seen(), "last": handler})
    clock.time += 1
    (one,) = filled.take(10, lease=60).items
    assert (one.reference.id, one.tries) == ("x", 0)


def test_a_worker_that_is_too_late_settles_nothing(place, clock):
    """Its lease ran out and somebody else did the work; it says so."""
    queue, other = place.open(), place.open()
    queue.track([reference("a")])

    def slow(works):
        clock.time += 100
        if not slow.is_late:
            slow.is_late = True
            assert drain(other, {"chunk": Seen()}, lease=50).n_done == 1
        return {}

    slow.is_late = False
    report = drain(queue, {"chunk": slow}, lease=50)
    assert (report.n_done, report.n_lost) == (0, 1)


class Extended:
    """What `kept` needs of a queue; it does not answer the first time."""

    def __init__(self, enough: int) -> None:
        self.enough, self.n_calls, self.is_enough = enough, 0, Event()

    def extend(self, batch, *, lease):
        self.n_calls += 1
        if self.n_calls == self.enough:
            self.is_enough.set()
        if self.n_calls == 1:
            raise StoreUnreachable("no answer")
        return 1


def test_a_long_batch_is_kept():
    """Again and again, also after the queue did not answer, until the batch is worked off."""
    queue = Extended(enough=3)
    with kept(queue, Batch(token=1, items=()), 0.003):
        assert queue.is_enough.wait(60)
    assert not [thread for thread in enumerate_threads() if thread.name == "keeping"]


def test_a_handler_that_hangs_is_not_kept_for_ever():
    """After an hour, or less, the lease runs out."""
    queue = Extended(enough=6)
    with kept(queue, Batch(token=1, items=()), 0.003, longest=0.006):
        (keeper,) = [thread for thread in enumerate_threads() if thread.name == "keeping"]
        keeper.join(60)
        assert (keeper.is_alive(), queue.n_calls) == (False, 6)


def test_a_worker_drains_its_shard(place):
    """And no other."""
    queue = place.open(shards=3)
    queue.track(reference(name) for name in NAMES)
    counts = [drain(queue, {"chunk": Seen()}, shard=shard).n_done for shard in range(3)]
    assert sum(counts) == 10 and max(counts) < 10
