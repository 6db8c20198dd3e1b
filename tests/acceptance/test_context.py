"""`callsite context`, `evidence`, `recordings` as processes: what they answer, and one clear line for what can't be."""

from __future__ import annotations

import gzip
import json

import pytest
from command_line import CommandLine, make_shop
from context_samples import recording

#: What Python prints when the checkout of an empty cart fails, elsewhere.
TRACE = """Traceback (most recent call last):
  File "/srv/app/server/handlers.py", line 80, in post
    return checkout(visitor, [])
  File "/srv/app/shop/cart.py", line 15, in checkout
    raise ValueError("the cart is empty")
ValueError: the cart is empty
"""
PYTEST = """=================================== FAILURES ===================================
_____________________________ test_old_sessions_go _____________________________

    def test_old_sessions_go():
>       assert store.remove_expired() == 1

tests/test_session.py:9:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

>       old = [visitor for visitor, at in self.started.items() if at < limit]
E       TypeError: '<' not supported between instances of 'str' and 'float'

shop/session.py:20: TypeError
=========================== short test summary info ============================
FAILED tests/test_session.py::test_old_sessions_go - TypeError: '<' not supported
"""
EXPIRED = recording(
    ("shop/session.py", 17, "remove_expired"), name="test old visits go", status="failed", raises="builtins.TypeError"
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A shop with a recording, a log and the output of a test; nobody changes it."""
    root = make_shop(tmp_path_factory.mktemp("context") / "shop")
    (root / "tmp" / "appmap").mkdir(parents=True)
    data = json.dumps(EXPIRED).encode()
    (root / "tmp" / "appmap" / "expired.appmap.json").write_bytes(data)
    for name, content in {
        "crash.log": TRACE.encode(), "pytest.txt": PYTEST.encode(), "prose.txt": b"Nothing went wrong.\n",
        "report.md": b"The till fails\n\n```\n" + TRACE.encode() + b"```\n", "utf16.log": TRACE.encode("utf-16"),
        "bytes.log": bytes(range(256)), "empty.log": b"", "packed.appmap.json.gz": gzip.compress(data),
        "broken.appmap.json": b'{"events": [', "cut.appmap.json.gz": gzip.compress(data)[:40],
        "other.appmap.json": b"[1, 2]",
    }.items():  # fmt: skip
        (root.parent / name).write_bytes(content)
    return root


@pytest.fixture
def ask(place, tmp_path_factory, monkeypatch):
    """The command line in that shop, with the index that the tests of this module share."""
    return CommandLine(place, place.parent / "home", monkeypatch).process


def first(result):
    """The path of the first hit."""
    assert (result.code, result.err) == (0, ""), result
    if result.out.startswith("{"):
        return json.loads(result.out)["hits"][0]["path"]
    heading = next(line for line in result.lines if line.startswith("### "))
    return heading.split("`")[1].partition(":")[0]


@pytest.mark.parametrize("line", [["--trace", "../crash.log"], ["--trace", "-"], ["--trace=../utf16.log"]])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_trace_chooses_the_function(ask, line, form):
    """From a file or standard input, in any encoding that begins with a mark."""
    result = ask("context", "money", *line, *form, text=TRACE.encode())
    assert first(result) == "shop/cart.py"
    assert "frame of ValueError" in result.out


def test_a_report_with_a_trace_needs_no_option(ask):
    """From a file or standard input."""
    assert first(ask("context", "@../report.md")) == "shop/cart.py"
    assert first(ask("context", "-", text=f"The till fails\n\n{TRACE}".encode())) == "shop/cart.py"


def test_the_output_of_tests_chooses_the_function(ask):
    """`pytest | callsite context "…" --test-output -`."""
    assert first(ask("context", "old visits", "--test-output", "-", text=PYTEST.encode())) == "shop/session.py"
    assert first(ask("context", "old visits", "--test-output", "../pytest.txt")) == "shop/session.py"


def test_a_folder_that_limits_the_answer_is_named(ask):
    """As `search` does."""
    assert "; only shop" in ask("context", "total price", "--in", "shop").out
    assert "; only" not in ask("context", "total price").out


def test_evidence_lists_failing_tests_and_what_was_not_read(ask, place):
    """The test, where it stands, and what of the text was left out."""
    log = place.parent / "tests.log"
    log.write_text("FAILED tests/test_far.py::test_total - KeyError: 'tea'\n" + "nothing happens\n" * 60_000, "utf-8")
    lines = ask("evidence", "../tests.log").lines
    assert lines[0] == "test_total - KeyError: 'tea' (pytest)"
    assert lines[1] == "  -  tests/test_far.py test_total: no such test here, or more than one"
    assert lines[-1].startswith("  problem: the text is long: lines ")
    assert "were not read" in ask("context", "total price", "--test-output", "../tests.log").err


def test_both_ends_of_an_enormous_log_are_read(ask, place):
    """Its middle is not, and that is said."""
    (place.parent / "huge.log").write_text("nothing\n" * 700_000 + "FAILED tests/test_far.py::test_last\n", "utf-8")
    result = ask("evidence", "../huge.log")
    assert result.lines[0] == "test_last (pytest)"
    assert "bytes in the middle of '../huge.log' were not read" in result.err


def test_an_error_message_is_searched_too(ask):
    """Options of evidence may be repeated and joined."""
    assert first(ask("context", "customers complain", "--error", "ValueError: the cart is empty")) == "shop/cart.py"
    line = ["--error", "checkout needs POST", "--error", "status 405", "--trace", "../crash.log"]
    hits = json.loads(ask("context", "customers complain", "--json", *line).out)["hits"]
    assert {"shop/cart.py", "server/main.go"} <= {hit["path"] for hit in hits}


@pytest.mark.parametrize(
    "line", [[], ["--recordings=tmp"], ["--recordings", "tmp/appmap/*.json"], ["--recordings=../packed.appmap.json.gz"]]
)  # fmt: skip
def test_recordings_choose_the_function(ask, line):
    """Those of the project, of a folder, of a pattern, a packed one; the answer says which."""
    result = ask("context", "old visits", *line)
    assert first(result) == "shop/session.py"
    assert result.out.startswith("## Recordings\n\n- test old visits go (")
    assert "raised TypeError" in result.out
    (used,) = json.loads(ask("context", "old visits", "--json", *line).out)["recordings"]
    assert (used["name"], used["out_of_date"]) == ("test old visits go", False)
    assert used["matched"]


@pytest.mark.parametrize(("option", "n", "most"), [("--tokens", 60, 180), ("--budget", 300, 300), ("--tokens", 1, 3)])
def test_a_limit_is_kept(ask, option, n, most):
    """In characters or in tokens of three characters; nothing that fits is nothing found."""
    result = ask("context", "checkout session", "--json", option, str(n), "--trace", "../crash.log")
    texts = [hit["text"] for hit in json.loads(result.out)["hits"]]
    assert sum(map(len, texts)) <= most
    assert result.code == (0 if texts else 1)
    assert bool(texts) == (most > 100)


def test_evidence_tells_what_was_understood(ask):
    """Where each frame lies, or why nowhere; 1 when nothing lies here."""
    result = ask("evidence", "../crash.log")
    assert (result.code, result.err) == (0, "")
    assert result.lines[0] == "ValueError: the cart is empty (python)"
    assert "shop/cart.py:1-15  /srv/app/shop/cart.py:15 checkout" in result.out
    assert "-  /srv/app/server/handlers.py:80 post: no such file here" in result.out
    assert ask("evidence", "-", text=TRACE.encode()).out == result.out
    (record,) = json.loads(ask("evidence", "../crash.log", "--json").out)["evidence"]
    assert [location["path"] for location in record["locations"]] == ["shop/cart.py", ""]


@pytest.mark.parametrize("name", ["tmp/appmap/expired.appmap.json", "../packed.appmap.json.gz"])
def test_evidence_reads_recordings(ask, name):
    """Plain or packed, by their ending."""
    result = ask("evidence", name)
    assert (result.code, result.err) == (0, "")
    assert result.lines[0] == "test old visits go"
    assert "shop/session.py:" in result.lines[1]


def test_recordings_are_listed(ask):
    """With what each would add; 1 when there are none."""
    (line,) = ask("recordings").lines
    assert line.split("\t")[1:] == ["test old visits go", "fresh, failed, 1 functions, 1 exceptions"]
    assert ask("recordings", "--recordings", "../packed.appmap.json.gz").lines[0].endswith(line.partition("\t")[2])
    (record,) = json.loads(ask("recordings", "--json").out)["recordings"]
    assert (record["state"], record["functions"], record["test_status"]) == ("fresh", 1, "failed")
    none = ask("recordings", "--recordings", "shop")
    assert (none.code, none.out, none.err.count("\n")) == (1, "", 1)


#: Lines that can't be meant, and what the one line of the answer has to say.
ERRORS = [
    (["context", "x", "--trace", "nowhere.log"], "'nowhere.log' (No such file or directory)"),
    (["context", "x", "--test-output", "."], "'.' (Is a directory)"),
    (["context", "x", "--trace"], "--trace: expected one argument"),
    (["context", "x", "--tokens", "0"], "at least 1"),
    (["context", "x", "--tokens", "many"], "'many' is no whole number"),
    (["context", "x", "--budget=-1"], "at least one character"),
    (["context", ""], "the question is empty"),
    (["context", "x", "--lang", "klingon"], "no language 'klingon'"),
    (["context", "x", "--type", "banana"], "no type 'banana'"),
    (["context", "x", "--markdown"], "no option '--markdown'"),
    (["context", "x", "--in", "nowhere"], "'nowhere' does not exist"),
    (["evidence"], "name one file"),
    (["evidence", "a", "b"], "name one file"),
    (["evidence", "nowhere.log"], "'nowhere.log' (No such file or directory)"),
    (["evidence", "."], "'.' (Is a directory)"),
    (["recordings", "nowhere"], "'nowhere' does not exist"),
]


@pytest.mark.parametrize(("line", "said"), ERRORS, ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_what_cannot_be_meant_is_one_line(ask, line, said):
    """That says what and which; exit code 2, nothing on standard output."""
    result = ask(*line)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1), result
    assert result.err.startswith("callsite: ")
    assert said in result.err


@pytest.mark.parametrize("name", ["prose.txt", "empty.log", "bytes.log"])
def test_a_text_without_traces_is_nothing_found(ask, name):
    """For `evidence`; `context` answers the question all the same."""
    result = ask("evidence", f"../{name}")
    assert (result.code, result.out, result.err) == (
        1,
        "",
        "callsite: no stack trace and no failing test was found in it\n",
    )
    assert ask("context", "total price", "--trace", f"../{name}").code == 0


@pytest.mark.parametrize(
    ("name", "said"),
    [("broken.appmap.json", "not a recording"), ("cut.appmap.json.gz", "it cannot be unpacked"),
     ("other.appmap.json", "not a recording")],
)  # fmt: skip
def test_a_damaged_recording_is_named_with_its_problem(ask, name, said):
    """By each of the three commands; the question is answered without it."""
    found = ask("evidence", f"../{name}")
    assert (found.code, found.err) == (1, "")
    assert f"problem: {said}" in found.out or said in found.out
    listed = ask("recordings", "--recordings", f"../{name}")
    assert (listed.code, listed.err) == (0, "")
    assert said in listed.out
    answer = ask("context", "total price", "--recordings", f"../{name}")
    assert (answer.code, answer.err.count("\n")) == (0, 1)
    assert name in answer.err
    assert said in answer.err


def test_recordings_that_are_not_there_are_named(ask):
    """The question is answered without them."""
    result = ask("context", "total price", "--recordings", "nowhere")
    assert (result.code, result.err) == (0, f"callsite: {ask.__self__.place}/nowhere: no such recording or folder\n")


@pytest.mark.parametrize("line", [["evidence", "nowhere.appmap.json"], ["recordings", "--recordings", "nowhere"]])
def test_a_recording_that_is_not_there_is_named(ask, line):
    """As `context` names it."""
    assert "no such recording" in ask(*line).err
