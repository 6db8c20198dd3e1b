"""Random queries give on every store what the oracle gives, and the oracle gives what the page says.

`CONTRACT_QUERIES=10000 pytest tests/contract/test_generated.py` asks so many.
"""

from __future__ import annotations

import os

import pytest
from comparing import answer_of, compare
from generated import COLLECTION, Generated
from naive import World
from samples import filled

from callsite.stores.memory import MemoryStore

N_QUERIES = int(os.environ.get("CONTRACT_QUERIES", "1000"))
N_WORLDS = 5


@pytest.mark.parametrize("seed", range(N_WORLDS))
def test_a_store_gives_what_the_oracle_gives(store, implementation, seed):
    """Ids, order, and raw scores of every leg."""
    generated = Generated(seed)
    oracle = filled(MemoryStore(), generated.documents, COLLECTION)
    compare(
        store,
        lambda query: answer_of(oracle, COLLECTION.name, query),
        generated,
        COLLECTION,
        n=N_QUERIES // N_WORLDS,
        has_same_bm25=implementation.has_same_bm25,
    )


@pytest.mark.parametrize("seed", range(N_WORLDS))
def test_the_oracle_gives_what_the_definitions_say(seed):
    """Compared with an evaluation that shares nothing with it but nodes and terms; here fields may be without terms."""
    generated = Generated(100 + seed, is_sparse=bool(seed % 2))
    world = World(generated.documents)
    compare(MemoryStore(), world.answer, generated, COLLECTION, n=N_QUERIES // N_WORLDS)
