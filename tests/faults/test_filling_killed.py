"""Whoever fills vectors is killed anywhere, again and again: nothing is lost, revived, or paid for twice.

FILLING_KILLS=200 kills more often than a usual run has time for.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from filling_child import CONCURRENCY, DIMS, FIELD, ITEMS, NAME
from strange_provider import serving

from callsite.collections import chunks
from callsite.embedding import hashed_vector
from callsite.query import Query
from callsite.stores import Key
from callsite.stores.embedded import EmbeddedStore
from callsite.stores.postgres import PostgresStore
from callsite.vectors import embedded_text

sys.path.append(str(Path(__file__).parents[1] / "contract"))

N = 900  # documents
KILLS = int(os.environ.get("FILLING_KILLS", "8"))
CHILD = Path(__file__).parent / "filling_child.py"


def document(number: int) -> dict[str, object]:
    return {"id": f"{number:04}", "project_id": number % 7, "path": "a.py", "content": f"chunk number {number}"}


@pytest.fixture(params=["embedded", "postgres"])
def place(request, tmp_path):
    """How the child opens the store, and the store, without collections."""
    if request.param == "embedded":
        store, arguments = EmbeddedStore(tmp_path / "store"), []
    else:
        from servers.postgres import options

        schema = f"filling_{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"
        store, arguments = PostgresStore(options(), schema=schema), [options(), schema]
        store.drop(NAME)
    yield [str(tmp_path), *arguments], store
    store.close()


def killed_at(opening, provider, request: int, *, answered: bool, on_request) -> int:
    """Run a child until the provider has seen so many of its requests; its exit status."""
    command = [sys.executable, str(CHILD), provider.url, *opening]
    environment = os.environ | {"PYTHONPATH": str(CHILD.parents[2] / "src")}
    child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    seen = 0

    def on_answer() -> None:
        nonlocal seen
        seen += 1
        on_request()
        if seen == request + answered:  # the answers of all requests before are on their way, or further
            child.kill()

    provider.on_answer = on_answer
    return child.wait(60)


def test_killed_anywhere_and_run_on(place):
    """Documents are deleted all the while; at the end those that are left have their vectors."""
    chance = random.Random(7)
    opening, store = place
    store.create(chunks(dims=DIMS))
    store.upsert(NAME, [document(number) for number in range(N)])
    left = set(range(N))

    def delete_some() -> None:
        """Of what is being asked for just now, and of the rest."""
        if chance.random() < 0.5:
            asked = [int(text.split()[-1]) for text in provider.inputs[-1]]
            gone = {*chance.sample(sorted(left), 2), asked[0]} & left
            left.difference_update(gone)
            store.delete(NAME, [Key(number % 7, f"{number:04}") for number in gone])

    n_killed = 0
    with serving() as provider:
        while n_killed < KILLS:
            status = killed_at(
                opening, provider, chance.randint(1, 12), answered=chance.random() < 0.5, on_request=delete_some
            )
            if status == 0:  # it was done before it could be killed: more to do
                number = max(left) + 1
                left.update(range(number, number + 300))
                store.upsert(NAME, [document(n) for n in range(number, number + 300)])
            else:
                assert status == -9
                n_killed += 1
        assert killed_at(opening, provider, 10**9, answered=False, on_request=lambda: None) == 0
    sent = Counter(text for texts in provider.inputs for text in texts)
    assert sum(sent.values()) - len(sent) <= n_killed * CONCURRENCY * ITEMS
    check_vectors(store, left)


def check_vectors(store, left: set[int]) -> None:
    """Exactly these documents are there, each with the vector of its text."""
    found = store.lookup(NAME, [Key(n % 7, f"{n:04}") for n in sorted(left)], fields=[FIELD])
    for number, one in zip(sorted(left), found, strict=True):
        assert one.fields[FIELD] == tuple(hashed_vector(embedded_text(document(number)), DIMS))
    assert store.count(NAME, Query.all()) == len(left)
