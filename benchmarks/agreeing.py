"""Do all stores give the same ten chunks to the same words? `python -m benchmarks.agreeing embedded postgres`.

The chunks of some repositories of semble's set and its questions. A store's ten are compared with those of the embedded
one; servers other than PostgreSQL are named by their address: `elasticsearch=http://127.0.0.1:9200`.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import callsite
from benchmarks.data import SembleRepository, semble_repositories
from benchmarks.stores import new_postgres
from callsite.collections import chunks
from callsite.connections import opened
from callsite.query import Query
from callsite.stores import Store

NAME, PROJECT, TEN, PER_CALL = "code_chunks", 1, 10, 5_000


def documents(root: Path) -> Iterator[dict[str, object]]:
    """The chunks of a checkout as documents."""
    for one in callsite.chunks([root]):
        if isinstance(one, callsite.Chunk):
            fields = {name: getattr(one, name) for name in ("id", "path", "type", "name", "source", "language")}
            yield fields | {"project_id": PROJECT, "overlay": "", "content": one.text.replace("\0", " ")}


def fill(store: Store, given: list[dict[str, object]]) -> None:
    store.drop(NAME)
    store.create(chunks())
    rest = iter(given)
    while some := list(islice(rest, PER_CALL)):
        store.upsert(NAME, some)
    store.refresh(NAME)


def first_ten(store: Store, question: str) -> list[str]:
    found = store.search(NAME, Query.match(question).limit(TEN), fields=[])
    return [one.document.key.id for one in found.candidates]


def overlaps(store: Store, exact: Store, repository: SembleRepository) -> list[float]:
    """For each question, how many of the ten are the same."""
    found = []
    for question in repository.questions:
        wanted = set(first_ten(exact, question["query"]))
        if wanted:
            found.append(len(wanted.intersection(first_ten(store, question["query"]))) / len(wanted))
    return found


def store_of(given: str, stack: ExitStack) -> Store:
    """From `embedded`, `postgres`, or ENGINE=ADDRESS."""
    engine, _, at = given.partition("=")
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    options = {"folder": folder} if engine == "embedded" else {"hosts": at, "replicas": "0"}
    if engine == "postgres":
        options = {"options": at or new_postgres(folder, stack)}
    store = opened(engine, options)
    stack.callback(store.close)
    return store


def main(arguments: Iterable[str] | None = None) -> None:
    """Print one line for each store."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agreeing", description=__doc__)
    parser.add_argument("stores", nargs="+", help="embedded, postgres, or ENGINE=ADDRESS")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the benchmarks")
    parser.add_argument("--home", type=Path, required=True, help="where the checkouts are")
    parser.add_argument("--only", nargs="*", default=(), help="names of repositories")
    given = parser.parse_args(None if arguments is None else list(arguments))
    with ExitStack() as stack:
        exact = store_of("embedded", stack)
        stores = {name.partition("=")[0]: store_of(name, stack) for name in given.stores}
        found: dict[str, list[float]] = {name: [] for name in stores}
        for repository in semble_repositories(given.data, given.home):
            if given.only and repository.name not in given.only:
                continue
            known = list(documents(Path(repository.checkout.folder)))
            for store in (exact, *stores.values()):
                fill(store, known)
            for name, store in stores.items():
                found[name] += overlaps(store, exact, repository)
    for name, shares in found.items():
        share = f"{sum(shares) / len(shares):.4f} of the first {TEN}"
        print(f"{name:14} {share}, least {min(shares):.2f}, {len(shares)} questions")


if __name__ == "__main__":
    main()
