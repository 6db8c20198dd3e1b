"""Several writers at once do each other no harm, on every store."""

from __future__ import annotations

from threading import Barrier, Thread

from samples import SMALL, document, everything, filled, key

from callsite.query import Query
from callsite.stores import Change

NAME = SMALL.name
N_WRITERS = 4


def together(write):
    """What `write(n)` gives in each of some threads that begin at the same moment."""
    barrier, given = Barrier(N_WRITERS), {}

    def run(n):
        barrier.wait()
        try:
            given[n] = write(n)
        except BaseException as error:  # noqa: BLE001 - handed to the test
            given[n] = error

    threads = [Thread(target=run, args=(n,)) for n in range(N_WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for outcome in given.values():
        if isinstance(outcome, BaseException):
            raise outcome
    return [given[n] for n in range(N_WRITERS)]


def test_writers_of_the_same_documents_in_other_orders_lose_nothing(store):
    """Each document is created by one of them, and nobody waits for another for ever."""
    store.create(SMALL)
    batch = [document(f"d{n:03}", content=f"word{n}", n=n) for n in range(200)]

    def write(n):
        return store.upsert(NAME, batch if n % 2 else batch[::-1])

    outcomes = together(write)
    assert sorted(one.state for each in outcomes for one in each) == ["created"] * 200 + ["unchanged"] * 600
    assert [one.key.id for one in outcomes[0]] == [one["id"] for one in batch[::-1]]
    store.refresh(NAME)
    assert store.count(NAME, Query.match("word")) == 200


def test_of_those_who_expect_the_same_one_writes(store):
    """The others are told that it has changed."""
    filled(store, [document(f"d{n:02}", n=0) for n in range(30)])

    def write(n):
        changes = [Change(key=key(f"d{i:02}"), fields={"n": n + 1}, expected={"n": 0}) for i in range(30)]
        return [one.state for one in store.update(NAME, changes)]

    outcomes = together(write)
    for states in zip(*outcomes, strict=True):
        assert sorted(states) == ["changed"] * (N_WRITERS - 1) + ["updated"]


def test_a_deletion_beside_updates_revives_nothing(store):
    """Whoever comes first: in the end the documents are gone."""
    filled(store, [document(f"d{n:02}", n=0) for n in range(30)])
    keys = [key(f"d{n:02}") for n in range(30)]

    def write(n):
        if n == 0:
            return store.delete(NAME, keys)
        return store.update(NAME, [Change(key=one, fields={"v": [1, n]}) for one in keys])

    deleted, *updated = together(write)
    assert {one.state for one in deleted} == {"deleted"}
    assert {one.state for each in updated for one in each} <= {"updated", "missing"}
    store.refresh(NAME)
    assert everything(store) == {}
