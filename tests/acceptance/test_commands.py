"""The commands beside `search`."""

from __future__ import annotations

import json

import pytest
from command_line import write

import callsite


def test_version_and_help_are_told(ask):
    """Help of the program and of each command."""
    for option in ("--version", "-V"):
        assert ask(option).out == f"callsite {callsite.__version__}\n"
    for line in (["--help"], ["-h"], ["search", "--help"], ["clear", "-h"], ["some", "words", "--help"]):
        result = ask(*line)
        assert (result.code, result.err) == (0, "")
        assert result.out.startswith("usage: callsite")


def test_index_and_status_say_what_there_is(ask_alone):
    """A status before any index is an error that says what to do."""
    before = ask_alone("status")
    assert before.code == 2
    assert "is not indexed yet; run `callsite index`" in before.err
    indexed = ask_alone("index")
    assert indexed.lines[0].startswith(f"indexed {ask_alone.place}: at ")
    assert indexed.lines[1].startswith(f"kept in {ask_alone.home}")
    write(ask_alone.place, {"new.py": "x = 1\n"})
    assert "1 not yet indexed" in ask_alone("status").lines[0]
    record = json.loads(ask_alone("status", "--json").out)
    assert list(record) == ["format", "root", "folder", "freshness"]
    assert record["freshness"]["n_behind"] == 1
    assert json.loads(ask_alone("index", "--json").out)["freshness"]["n_behind"] == 0


def test_files_are_listed(ask):
    """Those that are searched, and those that are not with the reason."""
    assert ask("files").lines == [
        "README.md",
        "server/main.go",
        "shop/cart.py",
        "shop/session.py",
        "tests/test_cart.py",
    ]
    assert ask("files", "shop").lines == ["shop/cart.py", "shop/session.py"]
    assert ask("files", ".", here=ask.place / "server").lines == ["main.go"]
    (line,) = ask("files", "--skipped").lines
    assert line.startswith("logo.png\t")
    (record,) = json.loads(ask("files", "--skipped", "--json").out)["files"]
    assert record["path"] == "logo.png"
    assert record["reason"]
    assert len(json.loads(ask("files", "--json").out)["files"]) == 5
    assert ask("files", "--skipped", "server").code == 1


def test_chunks_are_a_stream_of_json_lines(ask):
    """Nothing else on standard output; together they hold every line of every file."""
    result = ask("chunk", "shop")
    chunks = [json.loads(line) for line in result.lines]
    assert (result.code, result.err) == (0, "")
    for name in ("shop/cart.py", "shop/session.py"):
        text = "\n".join(chunk["text"] for chunk in chunks if chunk["path"] == name)
        assert text.rstrip("\n") == (ask.place / name).read_text("utf-8").rstrip("\n")
    assert len({chunk["id"] for chunk in chunks}) == len(chunks)


def test_problems_of_chunking_are_on_standard_error(ask):
    """One bad path does not keep the others back."""
    result = ask("chunk", "nowhere", "server", "logo.png")
    assert result.code == 2
    assert {json.loads(line)["path"] for line in result.lines} == {"server/main.go"}
    first, second = result.err.splitlines()
    assert "nowhere" in first
    assert second.startswith("callsite: logo.png: skipped, ")
    assert ask("chunk", "logo.png").code == 1


def test_a_place_is_explained(ask):
    """Found means that it is one of the hits."""
    result = ask("explain", "total price", "--at", "shop/cart.py:6")
    assert result.code == 0
    assert result.lines[0].startswith("hit 1 of ")
    assert any(line.startswith("hit: shop/cart.py:") for line in result.lines)
    assert ask("explain", "total price", "--at", "cart.py:6", here=ask.place / "shop").out.startswith("hit 1 of ")
    assert ask("explain", "total price", "--at", f"{ask.place}/shop/cart.py").code == 0


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("server/main.go:1", "no term of the question"),
        ("logo.png", "logo.png is not searched: "),
        ("gone.py:3", "gone.py is not in this view"),
    ],
)
def test_an_absence_is_explained(ask, place, said):
    """Not matched, skipped, not there."""
    result = ask("explain", "tax", "--at", place)
    assert result.code == 1
    assert said in result.lines[0]
    assert said in json.loads(ask("explain", "tax", "--at", place, "--json").out)["verdict"]


def test_an_explanation_needs_a_place(ask):
    """The option is named."""
    result = ask("explain", "tax")
    assert result.code == 2
    assert "--at PATH[:LINE] is missing" in result.err


def test_clear_removes_the_index(ask_alone):
    """Once; the next search makes it again."""
    ask_alone("index")
    folder = json.loads(ask_alone("status", "--json").out)["folder"]
    assert ask_alone("clear").out == f"removed {folder}\n"
    assert ask_alone("clear").code == 1
    assert ask_alone("status").code == 2
    assert ask_alone("total price").code == 0


def test_completion_is_written(ask):
    """For three shells."""
    for shell in ("bash", "zsh", "fish"):
        assert "callsite" in ask("completion", shell).out
    assert ask("completion", "dos").code == 2
    assert ask("completion").code == 2


def test_a_bug_is_one_line_with_a_way_to_report_it(ask, monkeypatch):
    """And a traceback only for who asks for one."""

    def fail(*_arguments, **_options):
        raise RuntimeError("something\nodd \x1b[31m")

    monkeypatch.setattr(callsite, "open", fail)
    result = ask("search", "x")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "callsite: RuntimeError: something odd \\x1b[31m; this is a bug in callsite: please report it with what"
        " CALLSITE_DEBUG=1 shows\n"
    )
    assert "Traceback" in ask("search", "x", environment_={"CALLSITE_DEBUG": "1"}).err


def test_an_interrupt_is_quiet(ask, monkeypatch):
    """As shells expect it."""

    def interrupt(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(callsite, "open", interrupt)
    result = ask("search", "x")
    assert (result.code, result.out, result.err) == (130, "", "")
