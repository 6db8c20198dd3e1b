"""The store in memory is also a fake for those who write in several threads."""

from __future__ import annotations

from threading import Thread

from callsite.collections import chunks
from callsite.query import Query
from callsite.stores import Store
from callsite.stores.memory import MemoryStore
from callsite.stores.order import by_id, by_key, in_order
from callsite.stores.values import Key

CHUNKS = chunks(dims=2)


def test_it_is_a_store():
    """A type checker sees that it fits the seam, and so does this line."""
    store: Store = MemoryStore()
    assert store.collections() == ()


def test_threads_that_write_at_once_lose_nothing():
    """Each document is there, and none was created twice."""
    store = MemoryStore()
    store.create(CHUNKS)
    states = []

    def write():
        batch = [{"id": f"{n}", "project_id": 1, "content": f"word{n}"} for n in range(200)]
        states.extend(outcome.state for outcome in store.upsert(CHUNKS.name, batch))

    threads = [Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(states) == ["created"] * 200 + ["unchanged"] * 600
    assert store.count(CHUNKS.name, Query.match("word")) == 200


def test_a_closed_store_can_be_closed_again():
    """It holds nothing."""
    store = MemoryStore()
    store.close()
    store.close()


def test_the_order_takes_one_of_each_leg_after_the_other():
    """Then what has no score; equal scores by id, then by routing."""
    a, b, c, d, e = (Key(1, letter) for letter in "abcde")
    given = {e: (None, None), d: (3.0, None), a: (1.0, 5.0), c: (1.0, 4.0), b: (None, 9.0), Key(0, "e"): (None, None)}
    assert in_order(given) == [d, b, a, c, Key(0, "e"), e]
    assert in_order({}) == []
    assert sorted([Key(2, "a"), Key(1, "b")], key=by_id) == [Key(2, "a"), Key(1, "b")]
    assert sorted([Key(2, "a"), Key(1, "b")], key=by_key) == [Key(1, "b"), Key(2, "a")]
