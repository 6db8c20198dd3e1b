"""Documents that lack a vector get one: once, from the cheapest source, and never against what happened meanwhile."""

from __future__ import annotations

import threading
from collections import Counter

import pytest

from callsite.collections import chunks
from callsite.embedding import FakeEmbedder, Policy, VectorCache, hashed_vector
from callsite.errors import (
    CollectionError,
    EmbedderRefused,
    EmbedderUnreachable,
    EmbeddingError,
    InputRefused,
    QueryError,
    StoreUnreachable,
)
from callsite.query import Query
from callsite.stores import Key
from callsite.stores.embedded import EmbeddedStore
from callsite.stores.memory import MemoryStore
from callsite.vectors import (
    Plan,
    embedded_queries,
    embedded_text,
    embedded_text_with_path,
    plan,
    run,
)

DIMS, NAME, FIELD = 8, "code_chunks", "embeddings_v1"
FAST = Policy(first_delay=0.0, longest_delay=0.0)


class Clock:
    """Waits for nothing."""

    def __init__(self):
        self.time = 0.0

    def now(self):
        self.time += 0.001
        return self.time

    def wall(self):
        return self.time

    def sleep(self, seconds, until=None):
        self.time += seconds
        threading.Event().wait(0.001)


def document(number, content="", **fields):
    return {
        "id": f"{number:04}",
        "project_id": number % 3,
        "overlay": "",
        "path": f"src/file{number // 5}.py",
        "name": f"thing_{number}",
        "content": content or f"def thing_{number}(): pass",
        **fields,
    }


def filled(store, documents):
    store.create(chunks(dims=DIMS))
    store.upsert(NAME, documents)
    return store


@pytest.fixture(params=["memory", "embedded"])
def store(request, tmp_path):
    made = MemoryStore() if request.param == "memory" else EmbeddedStore(tmp_path / "store")
    yield filled(made, [document(number) for number in range(50)])
    made.close()


def vectors_in(store):
    keys = [Key(number % 3, f"{number:04}") for number in range(50)]
    found = store.lookup(NAME, keys, fields=[FIELD, "name", "content"])
    return {one.key.id: one.fields.get(FIELD) for one in found if one}


def expected(numbers=range(50)):
    return {f"{n:04}": tuple(hashed_vector(embedded_text(document(n)), DIMS)) for n in numbers}


def fake(*faults, **limits):
    return FakeEmbedder(dims=DIMS, faults=faults, **{"items": 8, **limits})


def filling(store, embedder, **options):
    return run(store, NAME, FIELD, embedder, **{"policy": FAST, "clock": Clock(), **options})


def test_every_document_gets_the_vector_of_its_text(store):
    """And is found by it; a second run has nothing to do."""
    report = filling(store, fake())
    assert (report.n_written, report.n_embedded, report.n_failed, report.n_done) == (50, 50, 0, 50)
    assert vectors_in(store) == expected()
    vector = hashed_vector(embedded_text(document(7)), DIMS)
    best = store.search(NAME, Query.knn(target=FIELD, vector=vector, limit=1)).candidates[0]
    assert best.document.key == Key(1, "0007")
    embedder = fake()
    assert filling(store, embedder).n_done == 0
    assert embedder.requests == []


def test_only_what_is_asked_for_is_filled(store):
    """By any query without knn and limit."""
    assert filling(store, fake(), where=Query.filter(project_id=1)).n_written == 17
    assert store.count(NAME, Query.exists(FIELD)) == 17


def test_equal_texts_are_paid_for_once():
    """Within a page, between pages, between projects."""
    store = filled(MemoryStore(), [document(n, "same", name="same") for n in range(1_000)])
    embedder = fake()
    report = filling(store, embedder)
    assert (report.n_written, report.n_embedded) == (1_000, 1)
    assert embedder.requests == [("same\nsame",)]


def test_what_was_paid_for_is_never_paid_for_again(tmp_path):
    """In a second store, after a rename, in another repository, on a branch."""
    cache = VectorCache(tmp_path / "cache")
    filling(filled(MemoryStore(), [document(n) for n in range(20)]), fake(), cache=cache)
    moved = [document(n, path=f"moved/elsewhere{n}.py", project_id=9, overlay="branch") for n in range(20)]
    embedder = fake()
    report = filling(filled(MemoryStore(), moved), embedder, cache=cache)
    assert (report.n_written, report.n_cached, report.n_embedded, embedder.requests) == (20, 20, 0, [])
    cache.close()


class Meddling(FakeEmbedder):
    """Something happens to the store while the first request is on its way."""

    def __init__(self, happen):
        super().__init__(dims=DIMS, items=8)
        self.happen = happen

    def embed(self, texts, *, purpose="document"):
        happen, self.happen = self.happen, lambda: None
        happen()
        return super().embed(texts, purpose=purpose)


def test_a_deleted_document_is_not_revived(store):
    """It is counted as gone."""
    gone = [Key(n % 3, f"{n:04}") for n in range(0, 50, 2)]
    report = filling(store, Meddling(lambda: store.delete(NAME, gone)))
    assert (report.n_written, report.n_gone) == (25, 25)
    assert vectors_in(store) == expected(range(1, 50, 2))


def test_a_vector_that_somebody_else_wrote_is_not_overwritten(store):
    """It may be of another text."""
    theirs = [0.5] * DIMS
    report = filling(store, Meddling(lambda: store.upsert(NAME, [{"id": "0003", "project_id": 0, FIELD: theirs}])))
    assert (report.n_written, report.n_changed) == (49, 1)
    assert vectors_in(store)["0003"] == tuple(theirs)


def test_a_guarded_field_that_changed_keeps_its_old_vector_out(store):
    """The next run gives it the vector of what it is now."""
    changed = document(3, "changed")
    report = filling(store, Meddling(lambda: store.upsert(NAME, [changed])), guard=["content"])
    assert (report.n_written, report.n_changed) == (49, 1)
    assert vectors_in(store)["0003"] is None
    filling(store, fake())
    assert vectors_in(store)["0003"] == tuple(hashed_vector(embedded_text(changed), DIMS))


class Disliking(FakeEmbedder):
    """Refuses requests with a certain text."""

    def __init__(self, dislikes):
        super().__init__(dims=DIMS, items=8)
        self.dislikes = dislikes

    def embed(self, texts, *, purpose="document"):
        vectors = super().embed(texts, purpose=purpose)
        if any(self.dislikes in text for text in texts):
            raise InputRefused("400: not that")
        return vectors


def test_a_document_that_fails_is_counted_with_its_reason(store):
    """All others get their vectors; the next run tries it again."""
    report = filling(store, Disliking("thing_7("))
    assert (report.n_written, report.n_failed, report.problems) == (49, 1, {"400: not that": 1})
    assert filling(store, fake()).n_written == 1


def test_a_store_that_refuses_a_vector_is_counted_too(store):
    """An embedder may promise other vectors than the store takes."""
    embedder = fake()
    embedder.embed = lambda texts, purpose="document": [hashed_vector(t, DIMS) for t in texts]
    store.update = lambda collection, changes: [
        type("O", (), {"state": "failed", "problem": "disk", "key": one.key})() for one in changes
    ]
    report = filling(store, embedder)
    assert (report.n_failed, report.problems) == (50, {"disk": 50})


@pytest.mark.parametrize("error", [EmbedderRefused("401"), EmbedderUnreachable("down")])
def test_what_was_paid_for_before_an_end_is_not_paid_for_again(store, tmp_path, error):
    """The next run goes on."""
    cache, first = VectorCache(tmp_path / "cache"), fake(None, None, *[error] * 50)
    with pytest.raises(type(error)):
        filling(store, first, cache=cache, policy=Policy(concurrency=1, first_delay=0.0))
    second = fake()
    report = filling(store, second, cache=cache)
    assert (report.n_written, report.n_embedded) == (50, 34)
    assert vectors_in(store) == expected()
    cache.close()


def test_what_was_paid_for_before_the_store_failed_is_not_paid_for_again(tmp_path):
    """The vectors are in the cache before they are written."""
    store, cache = filled(MemoryStore(), [document(n) for n in range(20)]), VectorCache(tmp_path / "cache")
    update = store.update

    def fail(collection, changes):
        raise StoreUnreachable("gone")

    store.update = fail
    with pytest.raises(StoreUnreachable):
        filling(store, fake(), cache=cache)
    store.update = update
    embedder = fake()
    assert filling(store, embedder, cache=cache).n_written == 20
    assert embedder.requests == []
    cache.close()


def test_a_cache_that_fails_loses_nothing_that_was_paid_for(tmp_path):
    """It goes into the store, and then the run ends with what to do."""
    store, cache = filled(MemoryStore(), [document(n) for n in range(20)]), VectorCache(tmp_path / "cache")

    def fail(*_):
        raise EmbeddingError("disk full")

    cache.put = fail
    filling(store, fake(), cache=cache)
    assert store.count(NAME, Query.exists(FIELD)) == 20
    cache.claim = lambda *_, **__: fail()
    store.upsert(NAME, [document(30)])
    with pytest.raises(EmbeddingError, match="disk full"):
        filling(store, fake(), cache=cache)
    cache.close()


def test_several_workers_at_once_do_no_harm(tmp_path):
    """Each text is paid for once, each document is written once, whoever does it."""
    embedders, reports = [fake(delay=0.002) for _ in range(3)], []
    store = filled(EmbeddedStore(tmp_path / "store"), [document(n) for n in range(400)])
    caches = [VectorCache(tmp_path / "cache") for _ in range(3)]

    def work(number):
        reports.append(run(store, NAME, FIELD, embedders[number], cache=caches[number], policy=FAST))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.count(NAME, Query.exists(FIELD)) == 400
    assert sum(report.n_written for report in reports) == 400
    sent = Counter(text for embedder in embedders for request in embedder.requests for text in request)
    assert set(sent.values()) == {1}
    for cache in caches:
        cache.close()
    store.close()


def test_progress_tells_how_far_it_is(store):
    """With the rate and the time that is left; at the end all are done."""
    told = []
    filling(store, fake(), on_progress=told.append)
    assert (told[-1].n_done, told[-1].n_all, told[-1].seconds_left) == (50, 50, 0.0)
    assert told[-1].per_second > 0


def test_an_end_by_the_caller_stops_asking():
    """What is interrupted in its progress asks for nothing more."""
    store = filled(MemoryStore(), [document(n) for n in range(5_000)])
    embedder = fake()

    def interrupt(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        filling(store, embedder, on_progress=interrupt)
    assert sum(map(len, embedder.requests)) < 5_000


@pytest.mark.parametrize(
    ("collection", "field", "dims", "problem"),
    [
        ("other", FIELD, DIMS, "there is no collection other"),
        (NAME, "embeddings_v2", DIMS, "has no field embeddings_v2 for vectors; it has embeddings_v1"),
        (NAME, FIELD, 9, "takes vectors of 8 dimensions, the model gives 9"),
    ],
)
def test_what_does_not_fit_is_said_before_anything_is_paid(store, collection, field, dims, problem):
    """By run and plan."""
    embedder = FakeEmbedder(dims=dims)
    for call in (run, plan):
        with pytest.raises(CollectionError, match=problem):
            call(store, collection, field, embedder)
    assert embedder.requests == []


def test_a_plan_tells_what_a_run_would_do(tmp_path):
    """Files, chunks, texts, tokens, cost and time; what is in the cache costs nothing."""
    cache = VectorCache(tmp_path / "cache")
    store = filled(MemoryStore(), [document(n, "x" * 95, name="same") for n in range(20)])
    store.upsert(NAME, [document(n) for n in range(20, 30)])
    embedder = fake(items=4)
    made = plan(store, NAME, FIELD, embedder, cache=cache, price=2.0, policy=Policy(requests_per_minute=1))
    tokens = 35 + 10 * 11
    assert made == Plan(
        n_files=18,
        n_chunks=30,
        n_texts=11,
        n_cached=0,
        n_requests=3,
        n_tokens=tokens,
        cost=pytest.approx(tokens * 2e-6),
        seconds=120.0,
    )
    assert embedder.requests == []
    report = filling(store, embedder, cache=cache)
    assert (report.n_embedded, report.n_requested_tokens) == (11, tokens)
    store.drop(NAME)
    filled(store, [document(n) for n in range(20, 40)])
    again = plan(store, NAME, FIELD, embedder, cache=cache)
    assert (again.n_texts, again.n_cached, again.n_requests) == (20, 10, 3)
    cache.close()


def test_the_text_of_a_chunk_is_made_of_name_and_content():
    """Nothing else decides; with the path only where that is wished."""
    fields = {"path": "a.py", "name": "A.b", "content": "def b():", "language": "python"}
    assert embedded_text(fields) == "A.b\ndef b():"
    assert embedded_text({"content": "x", "name": ""}) == "x"
    assert embedded_text({}) == ""
    assert embedded_text_with_path(fields) == "a.py\nA.b\ndef b():"


def test_texts_of_queries_are_embedded_in_one_call_by_the_model_of_their_field():
    """As questions, each once."""
    asked = []

    class Asked(FakeEmbedder):
        def embed(self, texts, *, purpose="document"):
            asked.append((purpose, tuple(texts)))
            return super().embed(texts, purpose=purpose)

    queries = [Query.knn(target=FIELD, text=text, limit=3) for text in ("one", "two", "one")] + [Query.all()]
    found = embedded_queries(queries, {FIELD: Asked(dims=DIMS)})
    assert asked == [("query", ("one", "two"))]
    wanted = Query.knn(target=FIELD, vector=hashed_vector("two", DIMS), limit=3)
    assert (found[1], found[3]) == (wanted, Query.all())
    with pytest.raises(QueryError, match="no model is known"):
        embedded_queries(queries, {})
    refused = FakeEmbedder(dims=DIMS, faults=[InputRefused("400")])
    with pytest.raises(EmbeddingError, match="can't be embedded: 400"):
        embedded_queries(queries[:1], {FIELD: refused})
