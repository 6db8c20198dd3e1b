"""How fast do chunks in a store get vectors? `python -m benchmarks.embedding embedded postgres`, with a fake model.

The fake answers each request after a delay, so what is measured is all the rest: scan, texts, cache, guarded writes.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import ExitStack
from time import perf_counter

from benchmarks.stores import DIMS, NAME, Vectors, documents, new_postgres
from callsite.collections import chunks
from callsite.embedding import FakeEmbedder, Policy, VectorCache
from callsite.stores import Store
from callsite.vectors import plan, run

FIELD = "embeddings_v1"


def filled(store: Store, n: int) -> None:
    """A collection of chunks without vectors."""
    store.drop(NAME)
    store.create(chunks(dims=DIMS))
    given = ({name: value for name, value in one.items() if name != FIELD} for one in documents(n, Vectors()))
    store.upsert(NAME, given)
    store.refresh(NAME)


def measure(name: str, store: Store, *, n: int, delay: float, policy: Policy, folder: str) -> None:
    """A first run, and a second store that pays nothing."""
    for again in ("nothing in the cache", "all in the cache"):
        filled(store, n)
        cache, embedder = VectorCache(f"{folder}/vectors.sqlite"), FakeEmbedder(dims=DIMS, delay=delay)
        start = perf_counter()
        plan(store, NAME, FIELD, embedder, cache=cache)
        planned = perf_counter() - start
        start = perf_counter()
        report = run(store, NAME, FIELD, embedder, cache=cache, policy=policy)
        seconds = perf_counter() - start
        cache.close()
        assert report.n_written == n, report
        rate = 60 * n / seconds
        told = f"{rate:10,.0f} chunks per minute, {len(embedder.requests):,} requests, {seconds:.1f} s"
        print(f"{name:10} {n:,} chunks, {again:22} {told}, plan {planned:.1f} s", flush=True)


def opened(name: str, at: str, stack: ExitStack) -> Store:
    """A store by its name; `at` says where its server is."""
    if name == "memory":
        from callsite.stores.memory import MemoryStore

        return MemoryStore()
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    if name == "embedded":
        from callsite.stores.embedded import EmbeddedStore

        return EmbeddedStore(folder)
    from callsite.stores.postgres import PostgresStore

    return PostgresStore(at or new_postgres(folder, stack), timeout=600)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.embedding", description=__doc__)
    parser.add_argument("stores", nargs="+", choices=["memory", "embedded", "postgres"])
    parser.add_argument("--at", default="", help="how the server of the store is reached")
    parser.add_argument("-n", type=int, default=50_000, help="chunks")
    parser.add_argument("--delay", type=float, default=0.005, help="seconds of each request")
    parser.add_argument("--concurrency", type=int, default=4, help="requests at the same time")
    given = parser.parse_args()
    for name in given.stores:
        with ExitStack() as stack:
            store = opened(name, given.at, stack)
            stack.callback(store.close)
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            policy = Policy(concurrency=given.concurrency)
            measure(name, store, n=given.n, delay=given.delay, policy=policy, folder=folder)


if __name__ == "__main__":
    main()
