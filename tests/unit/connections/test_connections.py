"""Connections are kept encrypted, shown masked, and exactly one of them, or none, is active."""

from __future__ import annotations

import json
import os
import stat

import pytest

from callsite.collections import Collection, chunks
from callsite.connections import ENGINES, Connections, copied, differences, opened
from callsite.errors import CallsiteError, SettingsError, StoreError
from callsite.query import Query
from callsite.stores import Key
from callsite.stores.embedded import EmbeddedStore
from callsite.stores.memory import MemoryStore

SECRET = "hunter2-äö"
DSN = f"postgresql://somebody:{SECRET}@localhost/base"


@pytest.fixture
def known(tmp_path):
    return Connections(tmp_path / "config")


def test_nothing_is_known_at_first(known):
    """And opening says what to do."""
    assert (known.all(), known.active()) == ((), "")
    with pytest.raises(StoreError, match="no connection is active"):
        known.open()


def test_secrets_are_neither_written_nor_shown(known, tmp_path):
    """Not in the file, not in what is listed; files are their owner's alone."""
    known.add("base", "postgres", {"options": DSN, "schema": "mine"})
    written = b"".join(path.read_bytes() for path in (tmp_path / "config").iterdir())
    assert SECRET.encode() not in written and b"somebody" not in written
    (one,) = known.all()
    assert dict(one.options) == {"options": "(set)", "schema": "mine"}
    assert SECRET not in repr(one)
    if os.name == "posix":
        for name in ("connections.json", "connections.key"):
            assert stat.S_IMODE((tmp_path / "config" / name).stat().st_mode) == 0o600


def test_the_first_is_active_until_another_one_is(known):
    """One at a time; the active one is not forgotten by mistake."""
    known.add("one", "embedded", {"folder": "/a"})
    known.add("two", "embedded", {"folder": "/b"})
    assert [(one.name, one.is_active) for one in known.all()] == [("one", True), ("two", False)]
    known.activate("two")
    assert known.active() == "two"
    with pytest.raises(StoreError, match="activate another one first"):
        known.forget("two")
    known.forget("one")
    known.activate("")
    assert (known.active(), [one.name for one in known.all()]) == ("", ["two"])


@pytest.mark.parametrize(
    ("name", "engine", "options", "said"),
    [
        ("one", "embedded", {"folder": "/a"}, "there is a connection one"),
        ("Größe", "embedded", {}, "is no name"),
        ("", "embedded", {}, "is no name"),
        ("x", "mysql", {}, "there is no engine 'mysql'; use embedded"),
    ],
)
def test_what_cannot_be_added_is_refused(known, name, engine, options, said):
    known.add("one", "embedded", {"folder": "/a"})
    with pytest.raises(StoreError, match=said):
        known.add(name, engine, options)


@pytest.mark.parametrize(
    ("engine", "options", "said"),
    [
        ("embedded", {}, "needs the option folder"),
        ("embedded", {"folder": "x", "wait": "soon"}, "wait has to be a number"),
        ("embedded", {"directory": "x"}, "has no option directory; it has folder, wait"),
        ("postgres", {"options": DSN, "partitions": "2.5"}, "partitions has to be a number"),
        ("opensearch", {"hosts": "https://h", "verify_certs": "perhaps"}, "has to be true or false"),
    ],
)
def test_options_that_cannot_be_meant_are_named(engine, options, said):
    """Without showing what was given."""
    with pytest.raises(StoreError, match=said) as raised:
        opened(engine, options)
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize(
    ("engine", "options"),
    [
        ("postgres", {"options": DSN, "timeout": "3", "partitions": "2"}),
        ("elasticsearch", {"hosts": "https://h:9200", "user": "u", "password": SECRET, "verify_certs": "no"}),
        ("elasticsearch", {"hosts": "http://a:9200,http://b:9200", "api_key": SECRET}),
        ("opensearch", {"hosts": "https://h:9200", "user": "u", "password": SECRET, "shards": "3"}),
    ],
)
def test_every_engine_is_opened_with_its_options(engine, options):
    """Nothing is asked of a server before the first call."""
    assert engine in ENGINES
    opened(engine, options).close()


def test_a_key_from_the_environment_is_used_instead_of_a_file(tmp_path):
    """No file is made; another key can't read it."""
    from cryptography.fernet import Fernet

    key = Fernet.generate_key().decode()
    Connections(tmp_path, key=key).add("one", "embedded", {"folder": "/a"})
    assert not (tmp_path / "connections.key").exists()
    assert dict(Connections(tmp_path, key=key).all()[0].options) == {"folder": "/a"}
    with pytest.raises(StoreError, match="can't be read with the key in CALLSITE_KEY"):
        Connections(tmp_path, key=Fernet.generate_key().decode()).open("one")
    with pytest.raises(SettingsError, match=r"connections\.key is not there"):
        Connections(tmp_path).all()
    with pytest.raises(SettingsError, match="CALLSITE_KEY holds no key"):
        Connections(tmp_path, key="short").all()


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
def test_a_key_file_that_others_can_read_is_refused(known, tmp_path):
    """It says what to do."""
    known.add("one", "embedded", {"folder": "/a"})
    (tmp_path / "config" / "connections.key").chmod(0o644)
    with pytest.raises(SettingsError, match="chmod 600"):
        known.all()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 9}', '{"format": 1, "active": 1, "connections": {}}'])
def test_a_damaged_file_is_one_clear_error(known, tmp_path, text):
    """Nothing is overwritten."""
    known.add("one", "embedded", {"folder": "/a"})
    file = tmp_path / "config" / "connections.json"
    file.write_text(text)
    for call in (known.all, known.active, known.open, lambda: known.add("two", "embedded", {"folder": "/b"})):
        with pytest.raises(SettingsError, match="mend it or remove it"):
            call()
    assert file.read_text() == text


def test_options_that_were_changed_are_noticed(known, tmp_path):
    """They are signed."""
    known.add("one", "embedded", {"folder": "/a"})
    file = tmp_path / "config" / "connections.json"
    kept = json.loads(file.read_text())
    kept["connections"]["one"]["options"] = kept["connections"]["one"]["options"][:-8] + "AAAAAA=="
    file.write_text(json.dumps(kept))
    with pytest.raises(StoreError, match="changed"):
        known.open("one")


WORDS = ("apple", "banana", "cherry", "damson", "elder")


def filled(store, n=50):
    store.create(chunks(dims=2))
    store.create(Collection.of("other", routing="project_id", fields={"project_id": "integer", "n": "integer"}))
    documents = [
        {
            "id": f"c{i:02}",
            "project_id": i % 3,
            "path": f"src/f{i}.py",
            "content": f"parse header {i}",
            "name": f"find_{WORDS[i % 5]}_{WORDS[i // 5 % 5]}",
        }
        | ({"embeddings_v1": [1.0, i / 9]} if i % 2 else {})
        for i in range(n)
    ]
    store.upsert("code_chunks", documents)
    store.upsert("other", [{"id": "x", "project_id": 1, "n": 2}])
    for name in ("code_chunks", "other"):
        store.refresh(name)
    return store


def test_a_copy_gives_the_same_answers(tmp_path):
    """With vectors; done again it changes nothing, and the source stays as it is."""
    source, target = filled(MemoryStore()), EmbeddedStore(tmp_path)
    told = []
    done = copied(source, target, on_page=told.append)
    assert (done.n_collections, done.n_documents, told) == (2, 51, [50, 51])
    assert list(differences(source, target)) == []
    copied(source, target)
    assert list(differences(source, target)) == list(differences(target, source)) == []
    assert source.stats("code_chunks") == target.stats("code_chunks")


def test_what_differs_is_named(tmp_path):
    """Counts, vectors, words, nearness, collections."""
    source = filled(MemoryStore())

    def rewritten(**fields):
        return lambda store: store.upsert("code_chunks", [{"id": "c03", "project_id": 0, **fields}])

    for damage, said in (
        (lambda store: store.delete("code_chunks", [Key(1, "c01")]), "50 documents became 49"),
        (rewritten(embeddings_v1=None), "vectors"),
        (rewritten(name="zzz"), "hold the words"),
        (rewritten(embeddings_v1=[-1.0, 0.0]), "near"),
        (lambda store: store.drop("other"), "there is no collection other"),
    ):
        target = MemoryStore()
        copied(source, target)
        damage(target)
        assert any(said in one for one in differences(source, target)), said


def test_a_copy_into_another_collection_of_that_name_is_refused():
    """Nothing is changed there."""
    source, target = filled(MemoryStore()), MemoryStore()
    target.create(chunks(dims=3))
    with pytest.raises(CallsiteError, match="another collection"):
        copied(source, target)
    assert target.count("code_chunks", Query.all()) == 0
