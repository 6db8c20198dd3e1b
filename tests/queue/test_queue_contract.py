"""What every queue does: one entry for each reference, leases with tokens, delays, dead letters, numbers."""

from __future__ import annotations

import pytest
from queues import EVEN, ids, reference

from callsite.errors import QueryError, StoreError
from callsite.queue import LIMITED, NEVER, Failed, Policy

A, B, C = (reference(name) for name in "abc")
TROUBLE = Failed(error="Trouble", message="it went wrong")


def taken(queue, *, limit=10, lease=60.0):
    return queue.take(limit, lease=lease)


def fail_all(queue, failed=TROUBLE):
    batch = taken(queue)
    return queue.fail(batch, dict.fromkeys(batch.items, failed))


def test_what_is_tracked_many_times_is_there_once(queue):
    """Also within one call."""
    queue.track([A, B, A])
    queue.track([A])
    assert queue.statistics().queued == 2
    assert sorted(ids(taken(queue))) == ["a", "b"]


def test_nothing_is_due_in_an_empty_queue(queue):
    """A batch without items is settled as others are."""
    batch = taken(queue)
    assert batch.items == ()
    assert (queue.acknowledge(batch, []), queue.fail(batch, {}), queue.extend(batch, lease=1)) == ([], [], 0)
    queue.track([])


def test_the_oldest_come_first(queue, clock):
    """By the time at which they were tracked first."""
    for one in (B, A, C):
        queue.track([one])
        clock.time += 1
    queue.track([B])
    assert ids(taken(queue, limit=2)) == ["b", "a"]
    assert ids(taken(queue, limit=2)) == ["c"]


def test_a_leased_reference_is_given_to_nobody_else(place):
    """Neither to the same nor to another one who opened the queue."""
    one, other = place.open(), place.open()
    one.track([A])
    assert ids(taken(one)) == ["a"]
    assert taken(other).items == () == taken(one).items
    other.track([A])
    assert taken(other).items == ()


def test_what_is_acknowledged_is_gone(queue):
    """Once; the second time somebody else might have it."""
    queue.track([A, B])
    batch = taken(queue)
    assert queue.acknowledge(batch, batch.items[:1]) == ["done"]
    assert queue.acknowledge(batch, batch.items) == ["lost", "done"]
    assert queue.statistics().queued == 0


def test_what_is_tracked_while_it_is_processed_stays(queue):
    """The acknowledgement counts up to what was read; it is due at once, and goes the next time."""
    queue.track([A, B])
    batch = taken(queue)
    queue.track([A])
    assert dict(zip(ids(batch), queue.acknowledge(batch, batch.items), strict=True)) == {"a": "again", "b": "done"}
    again = taken(queue)
    assert ids(again) == ["a"]
    assert queue.acknowledge(again, again.items) == ["done"]


def test_a_lease_that_ran_out_is_given_to_others(place, clock):
    """The first one can neither acknowledge, fail nor extend any more; the second one can."""
    first, second = place.open(), place.open()
    first.track([A])
    old = taken(first, lease=10)
    clock.time += 10
    new = taken(second, lease=10)
    assert ids(new) == ["a"] and new.token > old.token
    assert first.acknowledge(old, old.items) == ["lost"]
    assert first.fail(old, {old.items[0]: TROUBLE}) == ["lost"]
    assert first.extend(old, lease=100) == 0
    assert second.statistics().leased == 1
    assert second.acknowledge(new, new.items) == ["done"]


def test_a_lease_that_ran_out_and_was_not_given_away_still_counts(queue, clock):
    """Nobody else has done the work meanwhile, so it is not thrown away."""
    queue.track([A])
    batch = taken(queue, lease=10)
    clock.time += 1_000
    assert queue.acknowledge(batch, batch.items) == ["done"]


def test_a_lease_that_is_extended_holds(queue, clock):
    """From now on, for all that is left of the batch."""
    queue.track([A, B])
    batch = taken(queue, lease=10)
    queue.acknowledge(batch, batch.items[:1])
    clock.time += 9
    assert queue.extend(batch, lease=10) == 1
    clock.time += 9
    assert taken(queue).items == ()
    clock.time += 1
    assert len(taken(queue).items) == 1


def test_delays_grow_and_end_with_death(queue, clock):
    """Each failure is a try; after the last one it is a dead letter, and given to nobody."""
    queue.track([A])
    for delay in (30, 180, 1_080, 6_480):
        assert fail_all(queue) == ["waiting"]
        clock.time += delay - 1
        assert taken(queue).items == ()
        clock.time += 1
    assert fail_all(queue) == ["dead"]
    clock.time += 10**9
    assert taken(queue).items == ()
    (letter,) = queue.dead.listed()
    assert (letter.reference, letter.error, letter.message) == (A, "Trouble", "it went wrong")
    assert (letter.tries, letter.died) == (5, clock.time - 10**9)


def test_delays_differ_by_chance_within_bounds(place, clock):
    """So that many that failed together don't come back together."""
    for chance, expected in ((0.0, 24), (0.5, 30), (1.0, 36)):
        queue = place.open(policy=Policy(), chance=lambda chance=chance: chance)
        queue.track([reference(chance)])
        assert fail_all(queue) == ["waiting"]
        clock.time += expected - 0.5
        assert taken(queue).items == ()
        clock.time += 0.5
        batch = taken(queue)
        assert queue.acknowledge(batch, batch.items) == ["done"]


@pytest.mark.parametrize(("told", "waits"), [(7.0, 7), (None, 60), (0.0, 1), (1e12, 24 * 3600)])
def test_a_limit_is_waited_for_and_uses_no_try(queue, clock, told, waits):
    """As long as was told, within bounds; however often."""
    queue.track([A])
    for _ in range(20):
        assert fail_all(queue, Failed(error="Limited", message="", delay=LIMITED, seconds=told)) == ["waiting"]
        clock.time += waits - 0.5
        assert taken(queue).items == ()
        clock.time += 0.5
    assert taken(queue).items[0].tries == 0


def test_what_never_gets_better_is_dead_at_once(queue):
    """With its first try."""
    queue.track([A])
    assert fail_all(queue, Failed(error="Refused", message="no", delay=NEVER)) == ["dead"]
    assert queue.dead.listed()[0].tries == 1


def test_what_waits_goes_on_waiting_when_it_is_tracked(queue, clock):
    """A file that changes all the time does not get around the delay, nor new tries."""
    queue.track([A])
    fail_all(queue)
    queue.track([A])
    assert taken(queue).items == ()
    clock.time += 30
    assert taken(queue).items[0].tries == 1


def test_a_failure_of_what_was_tracked_meanwhile_is_tried_again(queue):
    """It waits as others do; where it would be dead, it starts anew, as if it had been tracked after."""
    queue.track([A])
    batch = taken(queue)
    queue.track([A])
    assert queue.fail(batch, {batch.items[0]: Failed(error="Refused", message="no", delay=NEVER)}) == ["again"]
    again = taken(queue)
    assert again.items[0].tries == 0
    queue.track([A])
    assert queue.fail(again, {again.items[0]: TROUBLE}) == ["waiting"]


def test_a_dead_one_that_is_tracked_starts_anew(queue):
    """It has changed, so it may do better; there is one entry still."""
    queue.track([A])
    fail_all(queue, Failed(error="Refused", message="no", delay=NEVER))
    queue.track([A])
    assert queue.dead.listed() == ()
    assert taken(queue).items[0].tries == 0


def test_what_kills_its_workers_ends(place, clock):
    """It is taken alone from the third time on, so that others get through, and dies after the fourth."""
    queue = place.open(policy=Policy(jitter=0, most_lost=4, alone_from=3))
    queue.track([A, B])
    sizes = []
    while (batch := taken(queue, lease=10)).items:
        sizes.append(len(batch.items))
        clock.time += 10
    assert sizes == [2, 2, 2, 1, 1]
    assert [(letter.reference.id, letter.error) for letter in queue.dead.listed()] == [
        ("a", "LeaseLost"),
        ("b", "LeaseLost"),
    ]


def test_whoever_comes_back_has_not_killed_its_worker(place, clock):
    """A failure or an acknowledgement in between begins the count again."""
    queue = place.open(policy=Policy(jitter=0, most_lost=2))
    queue.track([A])
    for _ in range(5):
        taken(queue, lease=10)
        clock.time += 10
        assert fail_all(queue, Failed(error="Limited", message="", delay=LIMITED, seconds=10)) == ["waiting"]
        clock.time += 10
    assert queue.statistics().dead == 0


@pytest.fixture
def with_dead(queue):
    """Three dead letters and one reference that is due."""
    for name, routing, error in (("a", 1, "Trouble"), ("b", 1, "Refused"), ("c", "1", "Trouble")):
        queue.track([reference(name, routing)])
        fail_all(queue, Failed(error=error, message=name, delay=NEVER))
    queue.track([reference("d")])
    return queue


CHOICES = [
    ({}, "abc"),
    ({"routing": 1}, "ab"),
    ({"routing": "1"}, "c"),
    ({"error": "Trouble"}, "ac"),
    ({"routing": 1, "error": "Trouble"}, "a"),
    ({"error": "x' OR '1"}, ""),
]


@pytest.mark.parametrize(("chosen", "expected"), CHOICES)
def test_dead_letters_are_listed(with_dead, chosen, expected):
    """By repository and class of error, page by page."""
    letters = with_dead.dead.listed(**chosen)
    assert [letter.reference.id for letter in letters] == list(expected)
    paged, after = [], 0
    while page := with_dead.dead.listed(**chosen, after=after, limit=1):
        paged += page
        after = page[-1].number
    assert tuple(paged) == letters


@pytest.mark.parametrize(("chosen", "expected"), CHOICES)
def test_dead_letters_are_replayed(with_dead, chosen, expected):
    """They are due, with all their tries."""
    assert with_dead.dead.replay(**chosen) == len(expected)
    batch = taken(with_dead)
    assert sorted(ids(batch)) == sorted(expected + "d")
    assert {one.tries for one in batch.items} == {0}
    assert with_dead.statistics().dead == 3 - len(expected)


@pytest.mark.parametrize(("chosen", "expected"), CHOICES)
def test_dead_letters_are_cleared(with_dead, chosen, expected):
    """They and nothing else are gone."""
    assert with_dead.dead.clear(**chosen) == len(expected)
    assert with_dead.statistics().dead == 3 - len(expected)
    assert ids(taken(with_dead)) == ["d"]


def test_messages_are_bounded_and_clean(queue):
    """Whatever a server says fits every table and every terminal."""
    queue.track([A])
    fail_all(queue, Failed(error="E" * 1_000, message="\0\ud800\x1b[31m line\nline " + "é" * 10_000, delay=NEVER))
    (letter,) = queue.dead.listed()
    assert (len(letter.error), len(letter.message)) == (100, 500)
    assert letter.message.isprintable() and letter.message.endswith("é…")


def test_statistics(queue, clock):
    """Queued are those that are due, leased and waiting; a lease that ran out is due."""
    queue.track([A])
    fail_all(queue)
    queue.track([B])
    batch = taken(queue, lease=10)
    clock.time += 5
    queue.track([C, reference("d", 2)])
    found = queue.statistics()
    assert (found.queued, found.due, found.leased, found.waiting, found.dead, found.oldest) == (4, 2, 1, 1, 0, 5.0)
    assert queue.statistics(routing=2).queued == 1
    assert queue.statistics(routing="2").queued == 0
    clock.time += 5
    assert (queue.statistics().due, queue.statistics().leased) == (3, 0)
    assert queue.acknowledge(batch, batch.items) == ["done"]


def test_statistics_of_an_empty_queue(queue):
    """There is no oldest one."""
    found = queue.statistics()
    assert (found.queued, found.due, found.leased, found.waiting, found.dead, found.oldest) == (0, 0, 0, 0, 0, None)


def test_shards_have_each_reference_once(place):
    """Those of a shard are taken from it only; a shard that is not there has nothing."""
    queue = place.open(shards=4)
    queue.track([reference(number) for number in range(100)])
    shares = [ids(queue.take(100, lease=60, shard=shard)) for shard in range(5)]
    assert all(shares[:4]) and shares[4] == []
    assert sorted(name for share in shares for name in share) == sorted(map(str, range(100)))


@pytest.mark.parametrize("shards", [1, 2, 7])
def test_another_number_of_shards_leaves_nobody_behind(place, shards):
    """What was tracked under the old number is found under the new one, also by those who had opened it before."""
    before = place.open(shards=5)
    before.track([reference(number) for number in range(50)])
    after = place.open(shards=shards)
    before.track([reference(number) for number in range(100)])
    found = [name for shard in range(shards) for name in ids(place.open().take(100, lease=60, shard=shard))]
    assert sorted(found) == sorted(map(str, range(100)))
    assert after.statistics().due == 0


def test_what_cannot_be_meant(queue, place):
    """It is said at once."""
    for wrong in ({"limit": 0, "lease": 1}, {"limit": 1, "lease": 0}, {"limit": 10**6, "lease": 1}):
        with pytest.raises(QueryError):
            queue.take(wrong["limit"], lease=wrong["lease"])
    for options in ({"shards": 0}, {"policy": Policy(tries=0)}, {"policy": Policy(jitter=2)}):
        with pytest.raises(QueryError):
            place.open(**options)
    with pytest.raises(QueryError):
        queue.take(1, lease=1, shard=-1)
    with pytest.raises(QueryError):
        queue.dead.listed(limit=0)


def test_a_queue_is_kept(place):
    """Whoever opens it again finds what was there; closing twice is fine."""
    queue = place.open()
    queue.track([A, B])
    fail_all(queue, Failed(error="Refused", message="no", delay=NEVER))
    queue.track([C])
    queue.close()
    queue.close()
    again = place.open(policy=EVEN)
    assert (again.statistics().queued, again.statistics().dead) == (1, 2)


def test_more_than_one_transaction_tracks(queue):
    """However many are tracked, replayed or cleared at once."""
    queue.track(reference(number) for number in range(6_000))
    batch = queue.take(6_000, lease=60)
    refused = Failed(error="Refused", message="no", delay=NEVER)
    assert set(queue.fail(batch, dict.fromkeys(batch.items, refused))) == {"dead"}
    assert queue.dead.replay() == 6_000
    batch = queue.take(6_000, lease=60)
    queue.fail(batch, dict.fromkeys(batch.items, refused))
    assert queue.dead.clear() == 6_000


def test_a_closed_file_says_so(tmp_path):
    """As one of our errors; a connection of PostgreSQL is opened again."""
    from callsite.queue.sqlite import SqliteQueue

    queue = SqliteQueue(tmp_path / "queue.sqlite")
    queue.close()
    with pytest.raises(StoreError):
        queue.track([A])
