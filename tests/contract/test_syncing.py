"""A store follows git: after each run it holds what a fresh one would, and has read no more than what changed."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from random import Random

import pytest

from callsite import git
from callsite.collections import chunks
from callsite.errors import SourceError, StoreError
from callsite.migrations import MIGRATIONS, run
from callsite.query import Query
from callsite.stores import Change, Outcome
from callsite.stores.memory import MemoryStore
from callsite.syncing import Place, seen_in, sync

CHUNKS = chunks(dims=2)
BASE = Place(project_id=7)
TOPIC = Place(project_id=7, overlay="topic")
MOST_BYTES = 100_000


class Checkout:
    """A work tree of git, and short ways to change it."""

    def __init__(self, root):
        self.root = root
        root.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments):
        who = ("-c", "user.name=t", "-c", "user.email=t@t", "-c", "core.autocrlf=false", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", *who, *arguments], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def write(self, **files):
        for name, text in files.items():
            (self.root / f"{name}.py").write_text(text)

    def commit(self, **files):
        self.write(**files)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        return self.git("rev-parse", "HEAD")

    def sync(self, store, place=BASE, **wishes):
        return sync(git.discover(str(self.root)), store, place, max_file_bytes=MOST_BYTES, **wishes)


@pytest.fixture
def checkout(tmp_path):
    made = Checkout(tmp_path / "checkout")
    made.commit(a=functions("alpha", "beta"), b=functions("gamma"), c=functions("delta", "rho"))
    return made


@pytest.fixture
def store(store):
    return prepared(store)


def prepared(store):
    """With room for vectors, and all that migrations make."""
    store.create(CHUNKS)
    run(store, MIGRATIONS)
    return store


def functions(*names, body="return 1"):
    """Each is long enough to be a chunk of its own."""
    lines = "\n".join(f"    step_{n} = compute_{n}(argument)" for n in range(30))
    return "".join(f"def {name}(argument):\n{lines}\n    {body}\n\n\n" for name in names)


def held(store, query=None):
    """(path, name, content) of all chunks of the project, by id."""
    found, after = {}, None
    while True:
        page = store.scan(CHUNKS.name, Query.filter(project_id=7) if query is None else query, after=after)
        found |= {one.key.id: tuple(one.fields.get(n) for n in ("path", "name", "content")) for one in page.documents}
        if (after := page.after) is None:
            return found


def fresh(checkout, **wishes):
    """What a new store holds after one run."""
    new = prepared(MemoryStore())
    checkout.sync(new, **wishes)
    return held(new)


def test_the_first_run_reads_all_and_the_next_nothing(store, checkout):
    """Each chunk is told once, after it was written."""
    told = []
    first = checkout.sync(store, on_change=told.append)
    assert (first.full, first.n_read) == ("nothing was indexed before", 3)
    assert {one.id for one in told} == held(store).keys()
    assert len(told) == first.n_created == 5
    again = checkout.sync(store, on_change=told.append)
    assert (again.full, again.n_read, again.n_created, again.n_gone, len(told)) == ("", 0, 0, 0, 5)


def test_a_run_reads_what_changed_and_leaves_the_rest(store, checkout):
    """One blob for one file; its unchanged chunks keep their vectors, its changed one is new."""
    checkout.sync(store)
    store.refresh(CHUNKS.name)
    keys = [one.key for one in store.scan(CHUNKS.name, Query.all()).documents]
    store.update(CHUNKS.name, [Change(key=key, fields={"embeddings_v1": [1.0, 0.5]}) for key in keys])
    checkout.commit(a=functions("alpha") + functions("beta", body="return 2"))
    told = []
    ran = checkout.sync(store, on_change=told.append)
    assert (ran.full, ran.n_read, ran.n_created, ran.n_gone) == ("", 1, 1, 1)
    assert [one.path for one in told] == ["a.py"]
    assert held(store) == fresh(checkout)
    store.refresh(CHUNKS.name)
    assert held(store, Query.missing("embeddings_v1")).keys() == {told[0].id}


def test_removed_and_renamed_files_leave_no_chunk(store, checkout):
    """Whatever they were called."""
    checkout.sync(store)
    (checkout.root / "b.py").unlink()
    (checkout.root / "c.py").rename(checkout.root / 'it\'s "c".py')
    checkout.commit()
    ran = checkout.sync(store)
    assert (ran.full, ran.n_gone) == ("", 3)
    assert held(store) == fresh(checkout)
    assert {path for path, *_ in held(store).values()} == {"a.py", 'it\'s "c".py'}


@pytest.mark.parametrize(
    ("prepare", "why"),
    [
        ("force", "it was asked for"),
        ("rewritten", "history was rewritten"),
        ("other from", "the store shows"),
        ("unknown commit", "is not in this repository"),
        ("interrupted", "did not end"),
        ("other rules", "what is searched, or how it is chunked, has changed"),
    ],
)
def test_what_cannot_be_told_from_the_last_run_is_read_anew(store, checkout, tmp_path, prepare, why):
    """And the reason is said; strangers in the place are swept out."""
    first = checkout.sync(store).commit
    wishes = {}
    if prepare == "force":
        wishes = {"force": True}
    elif prepare == "rewritten":
        checkout.git("commit", "-q", "--amend", "--allow-empty", "-m", "another")
    elif prepare == "other from":
        wishes = {"from_commit": checkout.commit(a=functions("zeta"))}
    elif prepare == "unknown commit":
        checkout = Checkout(tmp_path / "another")
        checkout.commit(z=functions("omega"))
    elif prepare == "interrupted":
        note = {"id": "base", "project_id": 7, "coming": "f" * 40}
        store.upsert("code_views", [note])
    else:
        (checkout.root / ".callsiteignore").write_text("b.py\n")
        checkout.commit()
    stranger = {"id": "stranger", "project_id": 7, "overlay": "", "path": "gone.py", "content": "x"}
    other = {"id": "other", "project_id": 8, "overlay": "", "path": "a.py", "content": "x"}
    store.upsert(CHUNKS.name, [stranger, other])
    store.refresh(CHUNKS.name)
    ran = checkout.sync(store, **wishes)
    assert why in ran.full, first
    assert held(store) == fresh(checkout)
    assert held(store, Query.filter(project_id=8)).keys() == {"other"}


def test_an_overlay_holds_what_differs_and_hides_the_base(store, checkout):
    """Changed, new and removed files of a branch; the base stays as it is."""
    base = checkout.sync(store)
    before = held(store)
    checkout.git("checkout", "-q", "-b", "topic")
    (checkout.root / "b.py").unlink()
    checkout.commit(a=functions("alpha", body="return 3"), d=functions("new"))
    ran = checkout.sync(store, TOPIC)
    assert (ran.n_read, ran.n_created) == (2, 2)
    assert held(store, seen_in(store, BASE)) == before
    assert set(held(store, seen_in(store, TOPIC)).values()) == set(fresh(checkout).values())
    assert checkout.sync(store, TOPIC).n_read == 0
    assert base.commit != ran.commit


def test_an_overlay_of_a_work_tree_shows_what_is_not_committed(store, checkout):
    """Edits, untracked and removed files; what is undone shows the base again."""
    checkout.sync(store)
    before = held(store)
    (checkout.root / "b.py").unlink()
    checkout.write(a=functions("alpha", body="return 4"), new=functions("fresh"))
    ran = checkout.sync(store, TOPIC, work_tree=True)
    assert (ran.commit, ran.n_read) == ("", 2)
    shown = held(store, seen_in(store, TOPIC)).values()
    assert {path for path, *_ in shown} == {"a.py", "c.py", "new.py"}
    assert checkout.sync(store, TOPIC, work_tree=True).n_read == 0
    checkout.git("checkout", "-q", ".")
    (checkout.root / "new.py").unlink()
    assert checkout.sync(store, TOPIC, work_tree=True).n_gone == 2
    assert held(store, seen_in(store, TOPIC)) == before == held(store)


def test_overlays_are_brought_along_when_the_base_moves(store, checkout):
    """A file that only the base has changed shows, in the overlay, what the branch has."""
    checkout.sync(store)
    checkout.git("checkout", "-q", "-b", "topic")
    checkout.commit(d=functions("new"))
    branch = set(fresh(checkout).values())
    checkout.sync(store, TOPIC)
    checkout.git("checkout", "-q", "main")
    checkout.commit(c=functions("delta", body="return 5"))
    ran = checkout.sync(store)
    assert ran.problems == ()
    assert set(held(store, seen_in(store, TOPIC)).values()) == branch
    assert set(held(store, seen_in(store, BASE)).values()) == set(fresh(checkout).values())


def test_an_overlay_needs_its_base(store, checkout):
    """There is nothing that it could differ from."""
    with pytest.raises(SourceError, match="index its default branch first"):
        checkout.sync(store, TOPIC)


def test_what_no_store_can_keep_is_named(store, checkout):
    """The other files are there."""
    (checkout.root / b"\xff.py".decode("utf-8", "surrogateescape")).write_text("def lost(): pass\n")
    (checkout.root / "bin.dat").write_bytes(bytes(range(256)) * 4)
    checkout.commit(e="def odd():\n    return '\udcff'\n".encode("utf-8", "surrogateescape").decode("latin-1"))
    ran = checkout.sync(store)
    assert len(ran.problems) == 1 and "no UTF-8" in ran.problems[0]
    assert ran.n_skipped == 1
    assert {path for path, *_ in held(store).values()} == {"a.py", "b.py", "c.py", "e.py"}


class Failing(MemoryStore):
    """Stops after so many calls that write chunks."""

    left = 10**9

    def upsert(self, collection, documents):
        if collection == CHUNKS.name:
            self.left -= 1
            if self.left < 0:
                raise StoreError("the store went away")
        return super().upsert(collection, documents)

    def delete_orphans(self, collection, *, of, keep):
        self.left -= 1
        if self.left < 0:
            raise StoreError("the store went away")
        return super().delete_orphans(collection, of=of, keep=keep)


def test_a_run_that_failed_anywhere_is_made_good_by_the_next(checkout):
    """Towards the same commit, and towards another one that takes back what the failed one had changed."""
    for left in range(8):
        for is_taken_back in (False, True):
            store = prepared(Failing())
            checkout.sync(store)
            checkout.commit(a=functions("alpha", body=f"return {left}, {is_taken_back}"), f=functions("six"))
            store.left = left
            with suppress(StoreError):
                checkout.sync(store)
            store.left = 10**9
            if is_taken_back:
                checkout.git("revert", "--no-edit", "HEAD")
            checkout.sync(store)
            assert held(store) == fresh(checkout)


def test_what_a_run_left_that_was_to_clean_up_is_cleaned_up(checkout):
    """Of three runs, two fail: one that had begun to show something else, and the one that had to sweep that out."""
    for left in range(6):
        store = prepared(Failing())
        checkout.sync(store)
        shown_at_first = checkout.git("rev-parse", "HEAD")
        checkout.commit(stray=functions("stray"), a=functions("alpha", body=f"return {left + 100}"))
        store.left = 1
        with pytest.raises(StoreError):
            checkout.sync(store)
        checkout.git("reset", "-q", "--hard", shown_at_first)
        checkout.commit(b=functions("gamma", body=f"return {left + 200}"))
        for allowed in (left, 10**9):
            store.left = allowed
            with suppress(StoreError):
                checkout.sync(store)
        assert held(store) == fresh(checkout)


def test_an_overlay_that_was_not_finished_is_cleaned_up(checkout):
    """Whatever it had begun to show."""
    for left in range(5):
        store = prepared(Failing())
        checkout.sync(store)
        checkout.write(a=functions("alpha", body=f"return {left}"), odd=functions("odd"))
        store.left = left
        with suppress(StoreError):
            checkout.sync(store, TOPIC, work_tree=True)
        store.left = 10**9
        checkout.git("checkout", "-q", ".")
        (checkout.root / "odd.py").unlink()
        checkout.sync(store, TOPIC, work_tree=True)
        assert held(store, Query.filter(overlay="topic")) == {}
        assert held(store, seen_in(store, TOPIC)) == held(store)


def test_a_failed_item_is_no_success(checkout):
    """The commit is not noted, so the next run writes it."""

    class Refusing(MemoryStore):
        fails = True

        def upsert(self, collection, documents):
            outcomes = super().upsert(collection, documents)
            if collection == CHUNKS.name and self.fails:
                return [Outcome(key=one.key, state="failed", problem="no room") for one in outcomes]
            return outcomes

    store = prepared(Refusing())
    with pytest.raises(StoreError, match=r"a\.py: no room; run it again"):
        checkout.sync(store)
    store.fails = False
    assert checkout.sync(store).full
    assert held(store) == fresh(checkout)


def test_random_histories_give_what_a_fresh_store_has(store, checkout):
    """Edits, removals, renames, branches and resets, each followed by a run."""
    random = Random(3)
    checkout.sync(store)
    for step in range(25):
        files = sorted(path.stem for path in checkout.root.glob("*.py"))
        roll = random.random()
        if roll < 0.5 or len(files) < 2:
            names = random.sample(["one", "two", "three", "four"], k=random.randrange(1, 4))
            checkout.commit(**{random.choice([*files, f"n{step}"]): functions(*names, body=f"return {step % 5}")})
        elif roll < 0.65:
            (checkout.root / f"{random.choice(files)}.py").unlink()
            checkout.commit()
        elif roll < 0.8:
            (checkout.root / f"{random.choice(files)}.py").rename(checkout.root / f"moved{step}.py")
            checkout.commit()
        elif int(checkout.git("rev-list", "--count", "HEAD")) > 2:
            checkout.git("reset", "-q", "--hard", "HEAD~1")
        checkout.sync(store, force=random.random() < 0.1)
        assert held(store) == fresh(checkout), step
