"""What becomes of writes, on every store: an outcome for each item, in order, and no item that harms another."""

from __future__ import annotations

from array import array
from datetime import UTC, datetime, timedelta, timezone

import pytest
from samples import PROJECT, SMALL, check, document, everything, filled, ids, key, lettered, near, states

from callsite.errors import QueryError
from callsite.query import Query
from callsite.query.fields import single_precision
from callsite.stores import Change, Key, Outcome

NAME = SMALL.name


def changed(id, fields, **expected):
    return Change(key=key(id), fields=fields, expected=expected)


def test_upsert_tells_what_became_of_each_document_in_order(store):
    """Created, unchanged, updated; also for the same key twice in one call, as if one came after the other."""
    store.create(SMALL)
    outcomes = store.upsert(
        NAME,
        [
            document("a", n=1),
            document("b", n=1),
            document("a", n=1),
            document("a", n=2),
            document("b"),
            document("a", kind="x") | {"project_id": 2},
        ],
    )
    assert states(outcomes) == ["created", "created", "unchanged", "updated", "unchanged", "created"]
    assert [one.key for one in outcomes] == [key("a"), key("b"), key("a"), key("a"), key("b"), Key(2, "a")]
    assert {one.problem for one in outcomes} == {""}
    store.refresh(NAME)
    assert everything(store) == {
        key("a"): {"project_id": 1, "n": 2},
        key("b"): {"project_id": 1, "n": 1},
        Key(2, "a"): {"project_id": 2, "kind": "x"},
    }


def test_no_documents_are_no_outcomes(store):
    """Of every bulk call."""
    store.create(SMALL)
    assert store.upsert(NAME, []) == store.update(NAME, []) == store.delete(NAME, []) == store.lookup(NAME, []) == []


def test_upsert_leaves_fields_alone_that_are_not_given_and_the_vector_first_of_all(store):
    """F: an existing id and its vector stay; None empties a field, and so does an empty list."""
    filled(store, [document("a", kind="x", tags=["p"], content="header", v=[1, 2])])
    assert states(store.upsert(NAME, [document("a", content="header", kind="y")])) == ["updated"]
    store.refresh(NAME)
    before = {"project_id": 1, "kind": "y", "tags": ("p",), "content": "header", "v": (1.0, 2.0)}
    assert everything(store) == {key("a"): before}
    check(store, Query.match("header") & near(1), "a")
    assert states(store.upsert(NAME, [document("a", kind=None, tags=[], content=None)])) == ["updated"]
    store.refresh(NAME)
    assert everything(store) == {key("a"): {"project_id": 1, "v": (1.0, 2.0)}}
    check(store, Query.match("header"), "")
    check(store, Query.missing("kind") & Query.missing("tags") & Query.missing("content"), "a")


def test_a_changed_text_is_found_by_its_new_words_only(store):
    """In each lexical field."""
    filled(store, [document("a", content="apple", path="src/banana.py", name="cherry")])
    store.upsert(NAME, [document("a", content="apricot")])
    store.update(NAME, [changed("a", {"path": "src/blackberry.py", "name": "currant"})])
    store.refresh(NAME)
    for gone in ("apple", "banana", "cherry"):
        check(store, Query.match(gone), "")
    for new in ("apricot", "blackberry", "currant"):
        check(store, Query.match(new), "a")


REFUSED = [
    ({"project_id": 1}, "id"),
    ({"id": "x"}, "project_id"),
    ({"id": "", "project_id": 1}, "id"),
    ({"id": 5, "project_id": 1}, "id"),
    ({"id": "x" * 257, "project_id": 1}, "257"),
    ({"id": "a\0b", "project_id": 1}, "NUL"),
    ({"id": "\udc80", "project_id": 1}, "UTF-8"),
    ({"id": "x", "project_id": "1"}, "project_id"),
    ({"id": "x", "project_id": True}, "project_id"),
    ({"id": "x", "project_id": 1.0}, "project_id"),
    ({"id": "x", "project_id": None}, "project_id"),
    ({"id": "x", "project_id": 2**63}, "64 bits"),
    ({"id": ["x"], "project_id": [1]}, "id"),
    (document("x", other=1), "no field other"),
    (document("x", nam="a"), "did you mean name"),
    (document("x", **{"a; DROP TABLE small": 1}), "no field"),
    (document("x") | {5: 1}, "no field"),
    (document("x", kind=1), "kind"),
    (document("x", kind="k" * 8_192), "8,191"),
    (document("x", kind="a\0"), "NUL"),
    (document("x", content="\ud800"), "UTF-8"),
    (document("x", content=b"bytes"), "content"),
    (document("x", content="x" * 1_000_001), "1,000,000"),
    (document("x", n=1.5), "n holds"),
    (document("x", n=True), "n holds"),
    (document("x", n=-(2**63) - 1), "64 bits"),
    (document("x", flag=1), "flag"),
    (document("x", at="2026-12-01"), "at holds"),
    (document("x", at=datetime(2026, 12, 1)), "zone"),
    (document("x", tags="p"), "tags"),
    (document("x", tags=["p", 1]), "tags"),
    (document("x", tags=["p", None]), "tags"),
    (document("x", numbers=[2**63]), "64 bits"),
    (document("x", v=[1.0]), "2 dimensions, this vector 1"),
    (document("x", v=[1.0, 2.0, 3.0]), "2 dimensions, this vector 3"),
    (document("x", v=[0.0, 0.0]), "no direction"),
    (document("x", v=[1.0, float("nan")]), "nan"),
    (document("x", v=[1.0, float("inf")]), "inf"),
    (document("x", v=[1e300, 1.0]), "v"),
    (document("x", v=[1.0, "2"]), "v holds"),
    (document("x", v="12"), "v holds"),
    (document("x", v=b"12"), "v holds"),
    (document("x", v=1.0), "v holds"),
    ("x", "no document"),
    (None, "no document"),
]


def test_a_bad_document_is_refused_with_its_reason_and_its_neighbours_are_written(store):
    """Nothing of it is kept, and one that was there before stays as it was."""
    filled(store, [document("x", n=7)])
    good = [document(f"good{n:02}", n=n) for n in range(len(REFUSED))]
    outcomes = store.upsert(NAME, [one for good, (bad, _) in zip(good, REFUSED, strict=True) for one in (good, bad)])
    assert states(outcomes) == ["created", "refused"] * len(REFUSED)
    for (bad, said), outcome in zip(REFUSED, outcomes[1::2], strict=True):
        assert said in outcome.problem, repr(bad)[:80]
    store.refresh(NAME)
    kept = {key(one["id"]): {"project_id": 1, "n": one["n"]} for one in good}
    assert everything(store) == kept | {key("x"): {"project_id": 1, "n": 7}}


def test_one_bad_document_alone_and_at_each_place(store):
    """First, last, in the midst, and without neighbours."""
    store.create(SMALL)
    for place in range(3):
        batch = [document(f"{place}{n}") for n in range(3)]
        batch[place] |= {"n": "bad"}
        assert states(store.upsert(NAME, batch)) == ["refused" if n == place else "created" for n in range(3)]
    assert states(store.upsert(NAME, [document("bad", n="bad")])) == ["refused"]


def test_many_bad_documents_among_many_good_ones(store):
    """Each has its own outcome, wherever it stands."""
    store.create(SMALL)
    batch = [document(f"d{n:03}", v=[1.0] if n % 7 == 0 else [1.0, n]) for n in range(300)]
    assert states(store.upsert(NAME, batch)) == ["refused" if n % 7 == 0 else "created" for n in range(300)]
    store.refresh(NAME)
    assert store.count(NAME, Query.all()) == store.count(NAME, Query.exists("v")) == 257


def test_update_writes_fields_of_documents_that_are_there(store):
    """Updated, unchanged, missing; None empties."""
    filled(store, [document("a", kind="x", n=1), document("b", tags=["p"])])
    outcomes = store.update(
        NAME,
        [
            changed("a", {"v": [1, 2], "n": 5}),
            changed("a", {"n": 5}),
            changed("gone", {"n": 1}),
            changed("b", {"tags": None}),
            changed("b", {}),
            Change(key=Key(2, "a"), fields={"n": 9}),
        ],
    )
    assert states(outcomes) == ["updated", "unchanged", "missing", "updated", "unchanged", "missing"]
    store.refresh(NAME)
    assert everything(store) == {
        key("a"): {"project_id": 1, "kind": "x", "n": 5, "v": (1.0, 2.0)},
        key("b"): {"project_id": 1},
    }
    check(store, near(5), "a")


@pytest.mark.parametrize(
    ("expected", "state"),
    [
        ({"content": "old text"}, "updated"),
        ({"content": "new text"}, "changed"),
        ({"content": None}, "changed"),
        ({"kind": None}, "updated"),
        ({"kind": "x"}, "changed"),
        ({"n": 1, "tags": ["p", "q"]}, "updated"),
        ({"n": 1, "tags": ["q", "p"]}, "changed"),
        ({"n": 2, "tags": ["p", "q"]}, "changed"),
        ({"tags": []}, "changed"),
        ({"at": datetime(2026, 12, 1, 14, tzinfo=timezone(timedelta(hours=2)))}, "updated"),
        ({"flag": False}, "updated"),
        ({"flag": None}, "changed"),
        ({"v": None}, "updated"),
        ({"project_id": 1}, "updated"),
    ],
    ids=str,
)
def test_an_update_that_expects_something_else_than_is_there_writes_nothing(store, expected, state):
    """Text, lists and times are compared as they are kept; None is no value."""
    noon = datetime(2026, 12, 1, 12, tzinfo=UTC)
    before = document("a", content="old text", n=1, tags=["p", "q"], at=noon, flag=False)
    filled(store, [before])
    assert states(store.update(NAME, [changed("a", {"v": [1, 2]}, **expected)])) == [state]
    store.refresh(NAME)
    assert store.stats(NAME).n_filled["v"] == (state == "updated")
    assert everything(store)[key("a")].get("tags") == ("p", "q")


def test_an_update_sees_what_the_one_before_it_wrote(store):
    """Two that expect the same: only the first writes."""
    filled(store, [document("a", n=1)])
    outcomes = store.update(NAME, [changed("a", {"n": 2}, n=1), changed("a", {"n": 3}, n=1)])
    assert states(outcomes) == ["updated", "changed"]


BAD_CHANGES = [
    (changed("a", {"v": [1.0]}), "2 dimensions"),
    (changed("a", {"other": 1}), "no field other"),
    (changed("a", {"id": "b"}), "part of the key"),
    (changed("a", {"project_id": 2}), "part of the key"),
    (changed("a", {"n": 2}, other=1), "no field other"),
    (changed("a", {"n": 2}, n="1"), "n holds"),
    (changed("a", {"n": 2}, v=[1, 2]), "not compared"),
    (changed("", {"n": 2}), "id"),
    (Change(key=Key("1", "a"), fields={"n": 2}), "project_id"),
    (Change(key="a", fields={"n": 2}), "no Key"),
    (Change(key=key("a"), fields=5), "no fields"),
    ({"n": 2}, "no Change"),
]


def test_a_bad_change_is_refused_and_its_neighbours_are_made(store):
    """With its reason."""
    filled(store, [document("a", n=1), document("b")])
    pairs = [one for n, (bad, _) in enumerate(BAD_CHANGES) for one in (changed("b", {"n": n}), bad)]
    outcomes = store.update(NAME, pairs)
    assert states(outcomes) == ["updated", "refused"] * len(BAD_CHANGES)
    for (bad, said), outcome in zip(BAD_CHANGES, outcomes[1::2], strict=True):
        assert said in outcome.problem, bad
    store.refresh(NAME)
    last = len(BAD_CHANGES) - 1
    assert everything(store) == {key("a"): {"project_id": 1, "n": 1}, key("b"): {"project_id": 1, "n": last}}


def test_delete_removes_by_key(store):
    """Deleted or missing; the same id elsewhere stays; once it is gone it is not found by anything."""
    filled(store, [document("a", content="header", v=[1, 0]), document("a") | {"project_id": 2}, document("b")])
    outcomes = store.delete(NAME, [key("a"), key("gone"), key("a"), Key("x", "b"), "b"])
    assert states(outcomes) == ["deleted", "missing", "missing", "refused", "refused"]
    assert [one.key for one in outcomes[:3]] == [key("a"), key("gone"), key("a")]
    store.refresh(NAME)
    assert set(everything(store)) == {Key(2, "a"), key("b")}
    check(store, Query.match("header") | near(5), "")
    assert store.lookup(NAME, [key("a")]) == [None]


def test_a_chunk_that_was_deleted_meanwhile_is_not_revived_by_its_vector(store):
    """The vector is written by an update; only an upsert of the document makes it anew, and then without a vector."""
    filled(store, [document("a", content="x", v=[1, 0])])
    assert states(store.delete(NAME, [key("a")])) == ["deleted"]
    assert states(store.update(NAME, [changed("a", {"v": [1, 0]})])) == ["missing"]
    store.refresh(NAME)
    assert everything(store) == {}
    assert states(store.upsert(NAME, [document("a", content="x")])) == ["created"]
    store.refresh(NAME)
    check(store, near(5), "")
    check(store, Query.missing("v"), "a")


def test_writes_are_seen_by_those_who_write_at_once(store):
    """Lookup, update, delete and delete_orphans need no refresh."""
    store.create(SMALL)
    store.upsert(NAME, [document("a", path="p", n=1), document("b", path="p"), document("c", path="p")])
    assert [one and one.fields for one in store.lookup(NAME, [key("a")], fields=["n"])] == [{"n": 1}]
    assert states(store.update(NAME, [changed("a", {"n": 2}, n=1)])) == ["updated"]
    assert states(store.delete(NAME, [key("b")])) == ["deleted"]
    assert store.delete_orphans(NAME, of=Query.filter(path="p"), keep={"a"}) == 1
    assert [one is not None for one in store.lookup(NAME, [key("a"), key("b"), key("c")])] == [True, False, False]


def orphans_of(path, project=PROJECT):
    return Query.filter(project_id=project, path=path)


def test_orphans_are_the_documents_of_a_query_whose_ids_are_not_kept(store):
    """After a file, chunks of that path that are not of the new set are gone; others are not touched."""
    filled(
        store,
        [
            *(document(id, path="a.py", v=[1, 0]) for id in ("a1", "a2", "a3")),
            document("b1", path="b.py"),
            document("a1", path="a.py") | {"project_id": 2},
        ],
    )
    assert store.delete_orphans(NAME, of=orphans_of("a.py"), keep={"a2", "new", "b1"}) == 2
    assert store.delete_orphans(NAME, of=orphans_of("a.py"), keep={"a2"}) == 0
    assert store.delete_orphans(NAME, of=orphans_of("gone.py"), keep=set()) == 0
    store.refresh(NAME)
    check(store, Query.all(), "a1 a2 b1")
    assert set(everything(store)) == {key("a2"), key("b1"), Key(2, "a1")}


def test_with_nothing_to_keep_all_are_orphans(store):
    """`NOT IN ()` is an error or nothing in many a store: a removed file would keep its chunks for ever."""
    filled(store, [document("a", path="a.py"), document("b", path="a.py"), document("c", path="c.py")])
    assert store.delete_orphans(NAME, of=orphans_of("a.py"), keep=set()) == 2
    store.refresh(NAME)
    check(store, Query.all(), "c")


def test_ids_to_keep_may_be_very_many(store):
    """More than any server takes as parameters of one statement or as terms of one filter."""
    filled(store, lettered())
    kept = {f"other-{n}" for n in range(70_000)} | {"a1", "b2"}
    assert store.delete_orphans(NAME, of=Query.filter(project_id=PROJECT), keep=kept) == 3
    store.refresh(NAME)
    check(store, Query.all(), "a1 b2")


@pytest.mark.parametrize("of", [near(1), Query.all().limit(1), Query.filter(kind="a") & near(1)], ids=str)
def test_orphans_of_the_nearest_or_the_first_are_refused(store, of):
    """Whose are not known before."""
    filled(store, lettered())
    with pytest.raises(QueryError, match="knn or a limit"):
        store.delete_orphans(NAME, of=of, keep=set())
    assert len(ids(store, Query.all())) == 5


HARD = [
    "a'b",
    'a"b',
    "a\\b",
    "$1",
    "%s",
    "%",
    "_",
    "?",
    "*",
    "{{x}}",
    "'; DROP TABLE small; --",
    '"}}, {"match_all": {}}',
    "a\nb\tc\r",
    " a ",
    "é",
    "e\u0301",
    "É",
    "ß",
    "日本語",
    "😀\U0010ffff",
    "\ufffe",
    "\x01",
    "\u202e",
    "null",
    "NULL",
    "true",
    "1",
    "k" * 8_191,
    "ü" * 4_095,
]


def test_every_text_is_a_value_and_nothing_else(store):
    """Quotes, wildcards, templates, JSON, composed and decomposed letters, as long as allowed: kept, found, alone."""
    filled(store, [document(f"d{n:02}", kind=text, tags=[text], content=text) for n, text in enumerate(HARD)])
    kept = everything(store)
    for n, text in enumerate(HARD):
        id = f"d{n:02}"
        assert kept[key(id)] == {"project_id": 1, "kind": text, "tags": (text,), "content": text}
        check(store, Query.filter(kind=text), id)
        check(store, Query.filter(tags=[text]), id)
        expected = [f"d{m:02}" for m, other in enumerate(HARD) if other.startswith(text)]
        check(store, Query.prefix(kind=text), " ".join(expected))


def test_every_text_can_be_an_id(store):
    """Up to 256 bytes."""
    names = [text for text in HARD if len(text.encode()) <= 256] + ["i" * 256, "ü" * 128]
    filled(store, [document(id, n=n) for n, id in enumerate(names)])
    assert [one.fields["n"] for one in store.lookup(NAME, map(key, names))] == list(range(len(names)))
    for id in names:
        assert ids(store, Query.filter(id=id)) == [id]
        assert states(store.update(NAME, [changed(id, {"n": -1})])) == ["updated"]
    store.refresh(NAME)
    assert [one.key.id for one in store.scan(NAME, Query.filter(n=-1)).documents] == sorted(names)
    assert store.delete_orphans(NAME, of=Query.all(), keep=set(names[::2])) == len(names[1::2])
    assert states(store.delete(NAME, map(key, names))) == [["deleted", "missing"][n % 2] for n in range(len(names))]


def test_long_texts_are_kept_and_found(store):
    """A text of a million bytes, and words at its end."""
    text = "filling words " * 71_000 + "needle"
    assert len(text) <= 1_000_000
    filled(store, [document("a", content=text), document("b", content="other")])
    assert everything(store)[key("a")]["content"] == text
    check(store, Query.match("needle"), "a")


def test_vectors_come_back_in_single_precision(store):
    """Whatever they were given as; from tiny to huge."""
    given = {
        "a": [0.1, -0.2],
        "b": (1, 2),
        "c": array("d", [1e-7, 3.3]),
        "d": iter([2.5, -0.0]),
        "e": [1e14, 1.0],
        "f": [1e-14, 1e-15],
    }
    kept = {id: single_precision(list(vector)) for id, vector in given.items() if id != "d"} | {"d": (2.5, 0.0)}
    filled(store, [document(id, v=vector) for id, vector in given.items()])
    found = everything(store)
    assert {one.id: found[one]["v"] for one in found} == kept


def test_an_outcome_prints_what_happened():
    """It is a value."""
    assert Outcome(key=key("a"), state="created") == Outcome(key=Key(1, "a"), state="created", problem="")
