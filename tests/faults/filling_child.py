"""A process that fills the vectors of an embedded store: `filling_child.py FOLDER URL`."""

from __future__ import annotations

import sys
from pathlib import Path

from callsite.embedding import OpenAICompatible, Policy, VectorCache
from callsite.stores.embedded import EmbeddedStore
from callsite.vectors import run

DIMS, ITEMS, CONCURRENCY = 8, 8, 3
NAME, FIELD = "code_chunks", "embeddings_v1"


def main() -> None:
    folder, url = Path(sys.argv[1]), sys.argv[2]
    store, cache = EmbeddedStore(folder / "store"), VectorCache(folder / "cache")
    embedder = OpenAICompatible("m", base_url=url, dims=DIMS, items=ITEMS)
    report = run(store, NAME, FIELD, embedder, cache=cache, policy=Policy(concurrency=CONCURRENCY, first_delay=0.01))
    print(report.n_failed)


if __name__ == "__main__":
    main()
