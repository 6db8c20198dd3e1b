"""S2, S3, S9: an entry says all that AppMap's own index says, and survives being stored."""

from __future__ import annotations

import json
import shutil

import pytest
from appmap_samples import DATA, EVERYTHING, INDEXED, REAL, WORDS, back, call, parsed, thrown
from hypothesis import given
from hypothesis import strategies as st

from callsite.evidence.appmap import storage
from callsite.evidence.appmap.entry import entry_of, function_at, keywords_of
from callsite.evidence.appmap.index_directory import read_index_directory
from callsite.evidence.appmap.recording import parse_recording, read_recording
from callsite.evidence.appmap.storage import entry_from_bytes, entry_to_bytes
from callsite.values import replace

RECORDED = read_recording(DATA / "index_example" / "test_endpoint_decorator.appmap.json")


def sample():
    return entry_of(parse_recording(json.dumps(EVERYTHING).encode(), name="a.appmap.json"), words=WORDS)


def index(name):
    return json.loads((INDEXED / name).read_text())


def names_in(nodes):
    for node in nodes:
        yield node["type"], node["name"], node.get("location")
        yield from names_in(node.get("children", []))


def test_s2_keywords_are_of_every_kind():
    """Name, labels, exceptions, classes, functions, routes, SQL, parameter names, type words."""
    terms = sample().terms
    for text in (
        "sample security authentication wrong joe session compare never login realm keys users age password user "
        "sql query database route request server client http POST GET"
    ).split():
        assert set(WORDS.terms(text)) <= terms.keys(), text


def test_s2_a_name_says_more_than_one_function_among_many():
    """Weights follow from where a word stands."""
    terms = sample().terms
    assert terms["sampl"] > terms["compar"]


def test_s2_without_requests_there_are_no_words_about_them():
    """Nor about databases without queries."""
    terms = entry_of(parsed(call(1, "A.a"), back(2, 1)), words=WORDS).terms
    assert not {"sql", "databas", "rout", "client"} & terms.keys()


def test_s3_an_entry_made_here_covers_what_the_upstream_index_says():
    """Functions with their places, classes, parameters, exceptions with their stacks, every word."""
    entry = entry_of(RECORDED, words=WORDS)
    places = {(function.path, function.line) for function in map(function_at, entry.places)}
    keywords = "\n".join(keywords_of(entry, classes=[one.fqid for one in RECORDED.code_objects]))
    for kind, name, location in names_in(index("classMap.json")):
        assert set(WORDS.terms(name)) <= entry.terms.keys(), name
        if kind == "function":
            path, _, line = location.rpartition(":")
            assert (path, int(line)) in places
    for name in index("canonical.classes.json"):
        assert name in keywords
    assert set(index("canonical.parameters.json")) <= set(entry.parameters)
    told = {
        (one.name, tuple(f"{at.path}:{at.line}" for at in (function_at(entry.places[index]) for index in one.stack)))
        for one in entry.exceptions
    }
    assert told >= {(one["class"], tuple(one["stack"])) for one in index("canonical.exceptions.json")[:1]}


def test_s3_an_index_directory_gives_the_same_functions_and_words():
    """Only what the indexer does not keep is missing: counts, distances."""
    found = read_index_directory(INDEXED, file="x.appmap.json", words=WORDS)
    made = entry_of(RECORDED, words=WORDS)
    assert (found.version, found.mtime, found.entry.origin) == ("1.4.0", 1796039119646.2112, "index")
    assert set(found.entry.places) == set(made.places)
    assert found.entry.fingerprint == made.fingerprint
    assert found.entry.terms.keys() <= made.terms.keys()
    assert found.entry.name == "endpoint decorator"
    assert (found.entry.facts.test_status, found.entry.problems) == ("succeeded", ())
    assert [len(one.stack) for one in found.entry.exceptions] == [5, 4]


@pytest.mark.parametrize("version", ["1.2.0", "1.3.0", "1.4.0", "1.4.7"])
def test_s3_older_indexes_lack_files_and_load(version, tmp_path):
    """1.2 has neither exceptions nor parameters."""
    folder = tmp_path / "x"
    shutil.copytree(INDEXED, folder)
    (folder / "version").write_text(version)
    (folder / "canonical.exceptions.json").unlink()
    (folder / "canonical.parameters.json").unlink()
    found = read_index_directory(folder, file="x.appmap.json", words=WORDS)
    assert (found.version, found.entry.problems, len(found.entry.places) > 40) == (version, (), True)


def test_s3_routes_and_statements_of_the_class_map_count():
    """`canonical.*` tell only of what happened in served requests, the class map tells of all."""
    found = read_index_directory(INDEXED, file="x", words=WORDS)
    assert (found.entry.requests, found.entry.queries) == ((), ())


def test_s3_synthetic_nodes_become_requests_and_queries(tmp_path):
    """Cleaned like those of recordings."""
    nodes = [
        {"name": "HTTP", "type": "http", "children": [{"name": "GET /users/:id", "type": "route"}]},
        {"name": "DB", "type": "database", "children": [{"name": "select 1 from t where a = 'x'", "type": "query"}]},
        {"name": "S", "type": "external-service", "children": [
            {"name": "POST https://u:p@h.org/v/1?k=2", "type": "external-route"}]},
    ]  # fmt: skip
    (tmp_path / "classMap.json").write_text(json.dumps(nodes))
    (tmp_path / "canonical.httpServerRequests.json").write_text(
        json.dumps([{"route": "GET /users/{id}", "parameters": "()", "status": 302}])
    )
    found = read_index_directory(tmp_path, file="a/some.appmap.json", words=WORDS)
    assert [(one.side, one.method, one.route, one.status) for one in found.entry.requests] == [
        ("server", "GET", "/users/{id}", 302),
        ("server", "GET", "/users/{id}", 0),
        ("client", "POST", "h.org/v/{id}", 0),
    ]
    assert [one.sql for one in found.entry.queries] == ["select ? from t where a = ?"]
    assert found.entry.name == "some"


@pytest.mark.parametrize("name", sorted(path.name for path in INDEXED.iterdir()))
@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1, {}, []]", b'{"a": 1}', b"\xff", b"null", b"[" * 100_000, b"9" * 999]
)
def test_s3_a_damaged_file_of_an_index_is_a_problem(name, content, tmp_path):
    """The rest is still read."""
    folder = tmp_path / "x"
    shutil.copytree(INDEXED, folder)
    (folder / name).write_bytes(content)
    found = read_index_directory(folder, file="x.appmap.json", words=WORDS)
    assert found.entry.name in ("endpoint decorator", "x")
    if name == "metadata.json" and content != b'{"a": 1}':
        assert any(name in problem for problem in found.entry.problems)


def test_s3_no_index_directory_at_all_is_a_problem(tmp_path):
    """Not an error."""
    found = read_index_directory(tmp_path / "none", file="x.appmap.json", words=WORDS)
    assert found.entry.problems[0].startswith("version of the index is unknown")


def test_s9_recordings_that_went_the_same_ways_have_one_fingerprint():
    """Whatever their names and the order and number of their calls."""
    one = parsed(call(1, "A.a", line=1), back(2, 1), call(3, "A.b", line=2), back(4, 3), metadata={"name": "x[1]"})
    other = parsed(call(1, "A.b", line=2), back(2, 1), call(3, "A.a", line=1), back(4, 3), metadata={"name": "x[2]"})
    different = parsed(call(1, "A.b", line=2), back(2, 1))
    first, second, third = (entry_of(each, words=WORDS).fingerprint for each in (one, other, different))
    assert first == second != third


def test_s9_recordings_of_nothing_are_told_apart_by_their_names():
    """Failed before anything was called."""
    one, other = (entry_of(parsed(metadata={"name": name}), words=WORDS) for name in "ab")
    assert one.fingerprint != other.fingerprint


def test_functions_of_the_class_map_that_nobody_called_are_there():
    """With no calls."""
    entry = sample()
    names = [function_at(place).name for place in entry.places]
    assert names == ["Session.login", "Session.check (get)", "auth.compare", "Session.never"]
    assert entry.n_calls[-1] == 0
    columns = (entry.n_calls, entry.failure_distances, entry.n_callees)
    assert {len(column) for column in columns} == {len(entry.places)}


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_an_entry_is_stored_and_comes_back_equal(path):
    """Every field, with its type."""
    entry = entry_of(read_recording(path), words=WORDS)
    again = entry_from_bytes(entry_to_bytes(entry))
    assert again == entry
    assert repr(again) == repr(entry)


@given(st.text(st.characters(codec=None), max_size=20), st.text(max_size=20), st.integers(0, 9))
def test_any_names_come_back_equal(file, text, number):
    """Names of files need not be UTF-8."""
    recording = parsed(call(1, f"A.{text}", line=number), back(2, 1, **thrown(text, text)), metadata={"name": text})
    entry = entry_of(replace(recording, file=file), words=WORDS)
    assert entry_from_bytes(entry_to_bytes(entry)) == entry


@given(st.integers(0, 10_000), st.binary(max_size=3))
def test_bytes_that_are_no_entry_are_none(at, damage):
    """Cut, changed, empty."""
    stored = entry_to_bytes(sample())
    at %= len(stored)
    found = entry_from_bytes(stored[:at] + damage)
    assert found is None
    entry_from_bytes(stored[:at] + damage + stored[at + 1 :])


def test_an_entry_of_another_version_is_none(monkeypatch):
    """It is made anew."""
    stored = entry_to_bytes(sample())
    monkeypatch.setattr(storage, "VERSION", storage.VERSION + 1)
    assert entry_from_bytes(stored) is None
