"""Random writes have the same outcomes on every store, and leave the same documents behind."""

from __future__ import annotations

import os

import pytest
from generated import COLLECTION, Generated
from generated_writes import NAME, Model, Writes
from naive import World
from samples import everything

N_CALLS = int(os.environ.get("CONTRACT_WRITES", "200"))
N_WORLDS = 4


@pytest.mark.parametrize("seed", range(N_WORLDS))
def test_any_writes_do_what_the_model_does(store, seed):
    """Item by item; now and then all documents are compared, and what filters and matches find of them."""
    store.create(COLLECTION)
    writes, model, asking = Writes(seed), Model(), Generated(seed + 50)
    for n in range(N_CALLS // N_WORLDS):
        name, arguments = writes.call(model.now)
        found = getattr(store, name)(NAME, **arguments)
        found = found if isinstance(found, int) else [(one.key, one.state) for one in found]
        assert found == getattr(model, name)(**arguments), f"call {n}: {name}({arguments})"
        if n % 10 == 9:
            store.refresh(NAME)
            assert everything(store, COLLECTION) == model.now
            _same_sets(store, model, asking)


def _same_sets(store, model, asking):
    """Statistics of deleted documents may linger, so scores are not compared."""
    raw = [dict(fields, id=key.id) for key, fields in model.now.items()]
    world = World([{name: list(v) if isinstance(v, tuple) else v for name, v in one.items()} for one in raw])
    for _ in range(5):
        query = asking.settled()
        found = [(one.key.routing, one.key.id) for one in store.scan(NAME, query, fields=[]).documents]
        assert found == sorted(key for key, _ in world.answer(query)), query
