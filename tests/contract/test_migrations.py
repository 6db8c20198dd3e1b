"""Migrations run once, in order, halt at a failure, go on where they stopped; a model is changed without a gap."""

from __future__ import annotations

import pytest

from callsite.collections import Collection, chunks
from callsite.errors import CollectionError, StoreError, StoreUnreachable
from callsite.migrations import (
    MIGRATIONS,
    AddFields,
    Backfill,
    ChangeMetadata,
    CreateCollection,
    DropCollection,
    Migration,
    Problem,
    advance,
    begin,
    pending,
    run,
    searched_field,
    state_of,
    status,
    written_fields,
)
from callsite.query import Query
from callsite.stores import Change
from callsite.stores.memory import MemoryStore

NAME = "code_chunks"


def states(store, migrations):
    return [(one.version, one.state) for one in status(store, migrations)]


def fill_in(store, n, **fields):
    documents = [{"id": f"c{i:04}", "project_id": i % 3, "path": f"src/f{i}.Py"} | fields for i in range(n)]
    assert not [one for one in store.upsert(NAME, documents) if one.problem]
    store.refresh(NAME)


def held(store, *fields, of=None):
    """Those fields of all chunks, by id."""
    store.refresh(NAME)
    found, after = {}, None
    while True:
        page = store.scan(NAME, Query.all() if of is None else of, after=after, fields=fields)
        found |= {one.key.id: tuple(one.fields.get(field) for field in fields) for one in page.documents}
        if (after := page.after) is None:
            return found


def test_the_migrations_of_this_version_make_a_store_ready(store):
    """Once; afterwards there is nothing to do."""
    assert states(store, MIGRATIONS) == [(1, "pending"), (2, "pending")]
    assert [one.state for one in run(store, MIGRATIONS)] == ["done", "done"]
    before = store.collections()
    assert pending(store, MIGRATIONS) == ()
    run(store, MIGRATIONS)
    assert store.collections() == before
    assert [one.tries for one in status(store, MIGRATIONS)] == [1, 1]


def test_later_fields_arrive_in_a_store_that_is_full(store):
    """They can be written and asked for; what can be told from a chunk is filled in."""
    run(store, MIGRATIONS[:1])
    fill_in(store, 2_500)
    fill_in(store, 1, path="Makefile")
    run(store, MIGRATIONS)
    extensions = held(store, "extension")
    assert extensions.pop("c0000") == (None,)
    assert set(extensions.values()) == {("py",)} and len(extensions) == 2_499
    later = {"archived": False, "branches": ["main"], "repository_access_level": 20, "visibility_level": 10}
    fill_in(store, 3, traversal_ids="9970-", **later)
    of = Query.filter(archived=False, branches="main", visibility_level=[0, 10]) & Query.prefix(traversal_ids="9970-")
    assert held(store, of=of).keys() == {"c0000", "c0001", "c0002"}


class Flaky:
    """A verb that fails so many times."""

    def __init__(self, n, error=StoreUnreachable):
        self.n, self.error, self.calls = n, error, 0

    def do(self, store, *, after, on_batch):
        self.calls += 1
        if self.n:
            self.n -= 1
            raise self.error("the server went away")


def test_one_that_failed_halts_the_later_ones_until_it_is_retried(store):
    """What it had done is not done again."""
    first, flaky, last = Flaky(0), Flaky(2), Flaky(0)
    plan = [Migration(version=1, name="a", verbs=(first, flaky)), Migration(version=2, name="b", verbs=(last,))]
    with pytest.raises(Problem, match=r"migration 1 \(a\) failed: the server went away"):
        run(store, plan)
    assert states(store, plan) == [(1, "failed"), (2, "pending")]
    with pytest.raises(Problem, match="failed before: the server went away"):
        run(store, plan)
    with pytest.raises(Problem):
        run(store, plan, retry=True)
    run(store, plan, retry=True)
    assert states(store, plan) == [(1, "done"), (2, "done")]
    assert (first.calls, flaky.calls, last.calls) == (1, 3, 1)
    assert [(one.tries, one.problem) for one in status(store, plan)] == [(3, ""), (1, "")]


def test_a_backfill_goes_on_where_it_stopped(store):
    """By key; nothing that was filled is asked for again."""
    run(store, MIGRATIONS[:1])
    fill_in(store, 3_000)
    seen = []

    def values(document, stop_at=(1_500,)):
        if len(seen) in stop_at:
            seen.append(None)
            raise StoreUnreachable("stopped")
        seen.append(document.key)
        return {"name": "x"}

    backfill = Backfill(name=NAME, of=Query.all(), values=values)
    plan = [*MIGRATIONS[:1], Migration(version=7, name="names", verbs=(backfill,))]
    with pytest.raises(Problem):
        run(store, plan)
    n_before = len(seen)
    assert status(store, plan)[-1].after is not None
    run(store, plan, retry=True)
    assert len(seen) - n_before == 2_000
    assert set(held(store, "name").values()) == {("x",)}


@pytest.mark.parametrize(
    "verb",
    [
        CreateCollection(Collection.of("more", routing="p", fields={"p": "integer"})),
        AddFields(NAME, {"extra": "keyword"}),
        ChangeMetadata(NAME, {"searched": "embeddings_v1"}),
        DropCollection("code_views"),
        Backfill(name=NAME, of=Query.missing("name"), values=lambda document: {"name": "n"}),
    ],
    ids=lambda verb: type(verb).__name__,
)
def test_a_verb_done_twice_is_as_if_done_once(store, verb):
    """A process may die between doing and noting."""
    run(store, MIGRATIONS[:1])
    fill_in(store, 5)
    results = []
    for _ in range(2):
        verb.do(store, after=None, on_batch=lambda key: None)
        results.append((store.collections(), held(store, "name", "path")))
    assert results[0] == results[1]


def test_what_cannot_be_done_is_named(store):
    """And nothing is changed."""
    run(store, MIGRATIONS[:1])
    for verb, said in (
        (AddFields(NAME, {"path": "integer"}), "path is keyword, and can't become integer"),
        (AddFields("nothing", {"a": "keyword"}), "there is no collection nothing"),
        (CreateCollection(chunks(dims=3)), "another collection code_chunks, without embeddings_v1"),
    ):
        with pytest.raises(CollectionError, match=said):
            verb.do(store, after=None, on_batch=lambda key: None)
    with pytest.raises(CollectionError, match="the same version"):
        run(store, [MIGRATIONS[0], MIGRATIONS[0]])


def test_a_store_of_a_newer_version_tells_its_migrations(store):
    """They were run, whatever they are."""
    newer = [*MIGRATIONS, Migration(version=99, name="later", verbs=())]
    run(store, newer)
    assert states(store, MIGRATIONS) == [(1, "done"), (2, "done"), (99, "done")]
    assert pending(store, MIGRATIONS) == ()


def filling(store, dims, *, limit=10**9):
    """Gives documents that lack the field a vector; how many still do."""

    def fill(field):
        store.refresh(NAME)
        lacking = store.scan(NAME, Query.missing(field), size=10_000).documents
        changes = [Change(key=one.key, fields={field: [1.0] * dims}) for one in lacking[:limit]]
        store.update(NAME, changes)
        return max(0, len(lacking) - limit)

    return fill


def nothing_wrong(field):
    return ""


def test_the_first_model_and_the_next_are_come_to_in_the_same_way(store):
    """The old field is searched until the new one is full, and is empty afterwards."""
    run(store, MIGRATIONS)
    fill_in(store, 10)
    begin(store, NAME, model="first", dims=2)
    assert (searched_field(store, NAME), written_fields(store, NAME)) == ("", ("embeddings_v1",))
    advance(store, NAME, fill=filling(store, 2), check=nothing_wrong)
    assert searched_field(store, NAME) == "embeddings_v1"
    begin(store, NAME, model="second", dims=3)
    assert written_fields(store, NAME) == ("embeddings_v1", "embeddings_v2")
    with pytest.raises(StoreError, match="7 documents lack embeddings_v2"):
        advance(store, NAME, fill=filling(store, 3, limit=3), check=nothing_wrong)
    assert searched_field(store, NAME) == "embeddings_v1"
    steps = []
    done = advance(store, NAME, fill=filling(store, 3), check=nothing_wrong, on_step=steps.append)
    assert steps == ["filling", "checking", "emptying"]
    assert (done.searched, done.model, done.coming, done.step) == ("embeddings_v2", "second", "", "")
    assert set(held(store, "embeddings_v1", "embeddings_v2").values()) == {(None, (1.0, 1.0, 1.0))}


def test_a_second_switch_is_refused_while_one_runs(store):
    """The same one may be begun again; what fails its check is not searched."""
    run(store, MIGRATIONS)
    fill_in(store, 3)
    begin(store, NAME, model="first", dims=2)
    begin(store, NAME, model="first", dims=2)
    for model, dims in (("second", 2), ("first", 3)):
        with pytest.raises(StoreError, match="finish that before"):
            begin(store, NAME, model=model, dims=dims)
    with pytest.raises(StoreError, match="embeddings_v1 is not searched: worse answers"):
        advance(store, NAME, fill=filling(store, 2), check=lambda field: "worse answers")
    assert searched_field(store, NAME) == ""
    advance(store, NAME, fill=filling(store, 2), check=nothing_wrong)
    with pytest.raises(StoreError, match="has the vectors of first already"):
        begin(store, NAME, model="first", dims=2)


class Killed(Exception):
    """The end of a process, at a call of the store."""


class Dying(MemoryStore):
    """Dies at a call that writes, before or after it was done."""

    left, is_after = 10**9, False

    def _count(self):
        self.left -= 1
        return self.left < 0

    def change(self, collection):
        dies = self._count()
        if not dies or self.is_after:
            super().change(collection)
        if dies:
            raise Killed

    def update(self, collection, changes):
        dies = self._count()
        found = super().update(collection, changes) if not dies or self.is_after else []
        if dies:
            raise Killed
        return found


@pytest.mark.parametrize("is_after", [False, True])
def test_a_switch_that_was_killed_anywhere_is_finished_by_the_next(is_after):
    """At each call, before and after it; nothing is found twice and nothing is lost meanwhile."""
    for left in range(14):
        store = Dying()
        run(store, MIGRATIONS)
        fill_in(store, 4)
        begin(store, NAME, model="first", dims=2)
        advance(store, NAME, fill=filling(store, 2), check=nothing_wrong)
        store.left, store.is_after = left, is_after
        try:
            begin(store, NAME, model="second", dims=3)
            advance(store, NAME, fill=filling(store, 3), check=nothing_wrong)
            was_killed = False
        except Killed:
            was_killed = True
        store.left = 10**9
        searched = searched_field(store, NAME)
        assert len(held(store, of=Query.exists(searched))) == 4
        if state_of(store, NAME).model != "second":
            begin(store, NAME, model="second", dims=3)
        advance(store, NAME, fill=filling(store, 3), check=nothing_wrong)
        vectors = set(held(store, searched_field(store, NAME), "embeddings_v1").values())
        assert vectors == {((1.0, 1.0, 1.0), None)}
        if not was_killed:
            return
    pytest.fail("there are more calls than were tried")
