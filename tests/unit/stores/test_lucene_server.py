"""What becomes of answers that are none: repeated a few times, told per item, and no item is lost or done twice."""

from __future__ import annotations

import json

import pytest

from callsite.collections import Collection
from callsite.errors import CollectionError, StoreRefused, StoreUnreachable
from callsite.stores import Change, Key
from callsite.stores.elasticsearch.words import ElasticsearchWords
from callsite.stores.lucene import LuceneStore, Options
from callsite.stores.lucene.failing import Unreached
from callsite.stores.lucene.mapping import Place, meta_of
from callsite.stores.lucene.server import N_TRIES, Server

COLLECTION = Collection.of("small", routing="p", fields={"p": "integer", "n": "integer", "kind": "keyword"})
META = {"callsite-small-1": {"mappings": {"_meta": meta_of(Place(alias="callsite-small", collection=COLLECTION))}}}


class ScriptedWire:
    """Gives one answer after the other, and notes what was asked; definitions are answered beside."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def ask(self, method, path, *, params, body, is_lines):
        if path.endswith("/_mapping"):
            return 200, META
        self.asked.append((method, path, body))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self):
        pass


def server_with(*answers):
    wire, waited = ScriptedWire(*answers), []
    return Server(wire, "X", wait=waited.append), wire, waited


def store_with(*answers):
    wire = ScriptedWire(*answers)
    store = LuceneStore(wire, ElasticsearchWords(), Options())
    store._server._wait = lambda seconds: None
    return store, wire


def items(*each):
    return 200, {"items": [{"update": item} for item in each]}


@pytest.mark.parametrize("trouble", [(429, ""), (503, ""), (502, "<html>"), Unreached()], ids=str)
def test_what_is_busy_is_asked_again_after_a_longer_and_longer_pause(trouble):
    """As often as is bounded, then it is an error that says so."""
    server, wire, waited = server_with(trouble, trouble, (200, {"ok": 1}))
    assert server.ask("search", "GET", "/").body == {"ok": 1}
    assert len(waited) == 2
    assert waited[0] < waited[1] * 2
    server, wire, _ = server_with(*[trouble] * N_TRIES)
    with pytest.raises(StoreUnreachable):
        server.ask("search", "GET", "/")
    assert len(wire.asked) == N_TRIES


def test_what_will_not_become_better_is_not_asked_again():
    """Credentials."""
    server, wire, waited = server_with((401, {"error": {"type": "security_exception"}}))
    with pytest.raises(StoreRefused):
        server.ask("search", "GET", "/")
    assert (len(wire.asked), waited) == (1, [])


def test_only_items_that_were_busy_are_sent_again():
    """The others have their outcomes."""
    store, wire = store_with(
        items(
            {"result": "created", "status": 201},
            {"status": 429, "error": {"type": "es_rejected_execution_exception", "reason": "full"}},
            {"status": 400, "error": {"type": "mapper_parsing_exception", "reason": "bad"}},
        ),
        items({"result": "noop", "status": 200}),
    )
    outcomes = store.upsert("small", [{"id": id, "p": 1} for id in "abc"])
    assert [one.state for one in outcomes] == ["created", "unchanged", "refused"]
    assert "mapper_parsing_exception: bad" in outcomes[2].problem
    assert len(wire.asked[1][2].splitlines()) == 2


def test_an_item_that_stays_busy_has_failed_and_may_be_tried_again():
    """It is not refused."""
    busy = {"status": 503, "error": {"type": "unavailable_shards_exception", "reason": "none"}}
    store, _ = store_with(*[items(busy)] * 20)
    outcome = store.upsert("small", [{"id": "a", "p": 1}])[0]
    assert outcome.state == "failed"
    assert "unavailable_shards_exception" in outcome.problem


def test_what_is_expected_is_read_again_when_somebody_else_wrote():
    """A conflict of versions is no conflict of what is expected."""
    seen = {"found": True, "_seq_no": 1, "_primary_term": 1, "_source": {"kind": "x"}}
    conflict = {"status": 409, "error": {"type": "version_conflict_engine_exception"}}
    store, wire = store_with(
        (200, {"docs": [seen]}),
        items(conflict),
        (200, {"docs": [seen | {"_seq_no": 2}]}),
        items({"result": "updated", "status": 200}),
    )
    change = Change(key=Key(1, "a"), fields={"n": 5}, expected={"kind": "x"})
    assert store.update("small", [change])[0].state == "updated"
    guards = [json.loads(asked[2].splitlines()[0])["update"]["if_seq_no"] for asked in wire.asked[1::2]]
    assert guards == [1, 2]


def test_an_emptied_field_that_is_empty_is_not_written():
    """The server would count it as a change."""
    seen = {"found": True, "_seq_no": 1, "_primary_term": 1, "_source": {"kind": None}}
    store, wire = store_with((200, {"docs": [seen]}), items({"result": "noop", "status": 200}))
    assert store.upsert("small", [{"id": "a", "p": 1, "kind": None}])[0].state == "unchanged"
    assert json.loads(wire.asked[1][2].splitlines()[1]) == {"doc": {"p": 1}}


def test_a_collection_that_is_dropped_while_it_is_written_is_not_made_by_that():
    """An index comes from `create` alone."""
    gone = {"status": 404, "error": {"type": "index_not_found_exception"}}
    store, _ = store_with(items(gone))
    with pytest.raises(CollectionError, match="dropped"):
        store.upsert("small", [{"id": "a", "p": 1}])


def test_orphans_that_changed_meanwhile_are_looked_at_again():
    """After a refresh, until there is no conflict."""
    from callsite.query import Query

    refreshed = (200, {})
    first, second = ((200, {"deleted": 2 * n, "version_conflicts": n}) for n in (1, 0))
    store, wire = store_with(refreshed, first, refreshed, second)
    assert store.delete_orphans("small", of=Query.all(), keep={"a"}) == 2
    assert [asked[1].rsplit("/")[-1] for asked in wire.asked] == ["_refresh", "_delete_by_query"] * 2


def test_health_is_told_also_when_nobody_answers():
    """With the reason."""
    store, _ = store_with(*[Unreached()] * N_TRIES)
    health = store.health()
    assert not health.is_well
    assert "no server answers" in health.notes[0]
    store, _ = store_with(
        (200, {"version": {"number": "8.1.0"}}), (200, {"status": "red", "unassigned_primary_shards": 2})
    )
    assert store.health().notes == ("the cluster is red: 2 primary shards have no place",)
