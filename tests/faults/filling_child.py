"""A process that fills the vectors of a store: `filling_child.py URL FOLDER [OPTIONS SCHEMA]`."""

from __future__ import annotations

import sys
from pathlib import Path

from callsite.embedding import OpenAICompatible, Policy, VectorCache
from callsite.stores import Store
from callsite.stores.embedded import EmbeddedStore
from callsite.stores.postgres import PostgresStore
from callsite.vectors import run

DIMS, ITEMS, CONCURRENCY = 8, 8, 3
NAME, FIELD = "code_chunks", "embeddings_v1"


def main() -> None:
    url, folder, *postgres = sys.argv[1:]
    store: Store = PostgresStore(postgres[0], schema=postgres[1]) if postgres else EmbeddedStore(Path(folder, "store"))
    cache = VectorCache(Path(folder, "cache"))
    embedder = OpenAICompatible("m", base_url=url, dims=DIMS, items=ITEMS)
    report = run(store, NAME, FIELD, embedder, cache=cache, policy=Policy(concurrency=CONCURRENCY, first_delay=0.01))
    print(report.n_failed)


if __name__ == "__main__":
    main()
