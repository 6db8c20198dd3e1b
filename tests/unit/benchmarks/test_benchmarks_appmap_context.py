"""What AppMap's command prints becomes places within a budget; whatever is odd is named and costs only itself."""

import json
import stat
import sys

import pytest

from benchmarks.engines.appmap_context import RECORDINGS, AppMapContext, Item, items_of, places_within
from benchmarks.engines.contract import Place


def _code(location, content):
    return {"type": "code-snippet", "directory": "/shop", "location": location, "content": content}


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("", "no JSON: ''"),
        ("Sorry, no context today\n", "no JSON: 'Sorry, no context today'"),
        ('[{"type": "code-snip', 'no JSON: \'[{"type": "code-snip\''),
        ("{}", "no list of items: {}"),
        ("null", "no list of items: null"),
        ("[]", ""),
    ],
)
def test_an_answer_that_is_no_list_says_so(printed, expected):
    """Its search prints an empty object when it failed inside; an empty list is an answer."""
    assert items_of(printed) == ((), expected)


def test_an_item_without_content_is_counted_and_left_out():
    """The others stay, in their order; an item without a kind or location is kept for its characters."""
    good = _code("shop/cart.py:3-4", "def total(self):\n    return 0")
    bad = [None, "text", {"type": "code-snippet"}, {"content": 7}]
    items, problem = items_of(json.dumps([bad[0], good, *bad[1:], {"content": "alone", "type": 1, "location": []}]))
    assert items == (
        Item(kind="code-snippet", content=good["content"], location="shop/cart.py:3-4"),
        Item(kind="", content="alone"),
    )
    assert problem == "4 of 6 items without content"


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("shop/cart.py:3-4", ("shop/cart.py", 3, 4)),
        ("ROOT/shop/cart.py:3-4", ("shop/cart.py", 3, 4)),
        ("shop/cart.py:3", ("shop/cart.py", 3, 4)),
        ("shop/cart.py", ("shop/cart.py", 1, 2)),
        ("shop/a:b.py:3-4", ("shop/a:b.py", 3, 4)),
        ("shop/cart.py:3-3", ("shop/cart.py", 3, 3)),
        ("/elsewhere/cart.py:3-4", None),
        ("", None),
    ],
)
def test_a_location_names_the_lines_of_its_code(tmp_path, location, expected):
    """Relative or absolute, with both ends, one or none; what lies outside the checkout is no place."""
    item = Item(kind="code-snippet", content="one\ntwo", location=location.replace("ROOT", str(tmp_path)))
    found = [
        (place.path, place.first_line, place.last_line) for place in places_within([item], budget=100, root=tmp_path)
    ]
    assert found == ([expected] if expected else [])


def test_diagrams_and_queries_are_no_places_but_take_their_characters(tmp_path):
    """Nothing is left for the code after a diagram that fills the budget."""
    diagram = Item(kind="sequence-diagram", content="x" * 10, location="run.appmap.json")
    query = Item(kind="data-request", content="y" * 10, location="run.appmap.json:7")
    code = Item(kind="code-snippet", content="a = 1", location="a.py:1-1")
    assert places_within([diagram, query, code], budget=20, root=tmp_path) == []
    assert len(places_within([diagram, query, code], budget=25, root=tmp_path)) == 1


@pytest.mark.parametrize(("budget", "last"), [(20, 4), (11, 4), (10, 3), (7, 3), (6, 2), (3, 2), (2, None)])
def test_the_item_that_crosses_the_budget_keeps_its_whole_lines(tmp_path, budget, last):
    """A line counts when all of it fits."""
    item = Item(kind="code-snippet", content="abc\ndef\nghi", location="a.py:2-4")
    expected = [Place(path="a.py", first_line=2, last_line=last)] if last else []
    assert places_within([item, item], budget=budget, root=tmp_path)[:1] == expected


@pytest.fixture
def appmap(tmp_path):
    """A peer whose `node` is this Python and whose command is `program`; a checkout and a recording."""
    (tmp_path / "package" / "built").mkdir(parents=True)
    (tmp_path / "package" / "package.json").write_text('{"version": "9.8.7"}')
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "cart.py").write_text("total = 0\n")
    (tmp_path / "one.appmap.json").write_text("{}")

    def made(program, monkeypatch):
        script = tmp_path / "package" / "built" / "cli.js"
        script.write_text(program)
        node = tmp_path / "bin" / "node"
        node.parent.mkdir()
        node.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        node.chmod(node.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", str(node.parent), prepend=":")
        return AppMapContext(str(script))

    return made


def _asked(peer, tmp_path):
    prepared = peer.prepare(tmp_path / "shop", tmp_path / "one.appmap.json", tmp_path / "work")
    return prepared, peer.ask("why is the total 0?", budget=16_000, workshop=tmp_path / "work")


def test_the_peer_gets_a_copy_with_the_recording_and_the_whole_budget(appmap, tmp_path, monkeypatch):
    """Where its settings say; the checkout itself stays as it is."""
    program = (
        "import json, os, sys\n"
        "kept = os.path.exists('tmp/appmap/one.appmap.json')\n"
        "kept = kept and 'appmap_dir: tmp/appmap' in open('appmap.yml').read()\n"
        "told = {'type': 'code-snippet', 'location': os.getcwd() + '/cart.py:1-1', 'content': 'total = 0'}\n"
        "wanted = '/tokenlimit=5334 why is the total 0?'\n"
        "print(json.dumps([told] if kept and sys.argv[2].endswith(wanted) else {}) if sys.argv[1] == 'navie' else '')\n"
    )
    peer = appmap(program, monkeypatch)
    prepared, answer = _asked(peer, tmp_path)
    assert peer.version == "9.8.7"
    assert (prepared.problem, answer.problem) == ("", "")
    assert answer.places == (Place(path="cart.py", first_line=1, last_line=1),)
    assert [path.name for path in (tmp_path / "shop").iterdir()] == ["cart.py"]
    assert (tmp_path / "work" / "checkout" / RECORDINGS / "one.appmap.json").exists()


def test_a_command_that_fails_is_named_without_the_names_of_this_machine(appmap, tmp_path, monkeypatch):
    """It shows nothing, and the run goes on."""
    peer = appmap("import os, sys; sys.exit('no room in ' + os.getcwd())", monkeypatch)
    prepared, answer = _asked(peer, tmp_path)
    assert prepared.problem == "exit 1: no room in …/checkout"
    assert (answer.places, answer.problem) == ((), prepared.problem)


def test_a_command_that_hangs_is_ended_and_named(appmap, tmp_path, monkeypatch):
    """After the longest that one is waited for."""
    monkeypatch.setattr("benchmarks.engines.appmap_context.LONGEST", 0.05)
    peer = appmap("import sys; sys.stdin.read(); import signal; signal.pause()", monkeypatch)
    assert _asked(peer, tmp_path)[1].problem == "no answer within 0 s"
