"""`callsite search`: every option, form and exit code, from every place and kind of source."""

from __future__ import annotations

import base64
import json
import os
import re
import sys

import pytest
from command_line import git, write


def check(result, *, code=0, first="", err=""):
    assert (result.code, result.err) == (code, err), result
    if first:
        assert result.lines[0].startswith(first)


def paths(result):
    return list(dict.fromkeys(hit["path"] for hit in json.loads(result.out)["hits"]))


def test_a_question_finds_the_code_that_answers_it(ask):
    """Place, name, numbered lines, and at last how fresh the answer is."""
    result = ask("search", "remove expired sessions")
    check(result, first="shop/session.py:")
    assert "     def remove_expired(self) -> int:" in result.out
    assert result.lines[-1].startswith(f"at {git(ask.place, 'rev-parse', 'HEAD')[:12]} on main, 5 files")
    assert result.lines[-1].endswith("1 skipped")


@pytest.mark.parametrize("line", [["total price"], ["total", "price"], ["search", "total", "price"]])
def test_the_command_word_and_quotes_can_be_left_out(ask, line):
    """It is what people type."""
    check(ask(*line), first="shop/cart.py:")


def test_nothing_found_is_told_by_the_exit_code(ask):
    """Standard output stays empty, so that a program reads nothing as nothing."""
    result = ask("search", "zyxwv")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("callsite: nothing found; searched at ")


@pytest.mark.parametrize("text", [b"total price\n", "\ufefftotal price".encode(), "total price".encode("utf-16")])
@pytest.mark.parametrize("line", [["search"], ["search", "-"], ["-"], []])
def test_a_question_comes_from_standard_input(ask, line, text):
    """With `-`, or when nothing else asks."""
    check(ask(*line, text=text), first="shop/cart.py:")


def test_a_question_comes_from_a_file(ask, tmp_path):
    """A whole bug report, for example."""
    report = tmp_path / "report.txt"
    report.write_text("Checkout fails\n\nValueError: the cart is empty\n", "utf-8")
    check(ask("search", f"@{report}"), first="shop/cart.py:")
    check(ask("search", f"@{report}", "server"), first="server/main.go:")


def test_a_path_limits_the_search(ask):
    """As the last word, behind `--`, or with `--in`; a file or a directory."""
    for line in (["checkout", "server"], ["checkout", "--", "server"], ["--in", "server", "checkout"]):
        assert {line.split(":")[0] for line in ask("-l", *line).lines} == {"server/main.go"}
    assert ask("-l", "checkout", "shop/cart.py").lines == ["shop/cart.py"]
    assert ask("-l", "checkout", "--", "nowhere").code == 2
    assert ask("checkout", "server").lines[-1].endswith("; only server")


def test_a_sub_directory_searches_the_whole_repository(ask):
    """Shown paths can be opened from there; only an explicit path limits."""
    below = ask.place / "server"
    check(ask("total price", here=below), first=f"..{os.sep}shop{os.sep}cart.py:")
    check(ask("checkout", ".", here=below), first="main.go:")


def test_filters_choose_files(ask):
    """By language, path and type of hit; excludes win."""
    assert paths(ask("checkout", "--json", "--lang", "go")) == ["server/main.go"]
    assert paths(ask("checkout", "--json", "--path", "*.go")) == ["server/main.go"]
    assert paths(ask("checkout", "--json", "--path", "./shop/")) == ["shop/cart.py"]
    assert "server/main.go" not in paths(ask("checkout", "--json", "--path", "!*.go"))
    assert paths(ask("checkout", "--json", "--path", "*.go", "--path", "shop/", "--path", "!shop/")) == [
        "server/main.go"
    ]
    hits = json.loads(ask("checkout", "--json", "--type", "function").out)["hits"]
    assert {hit["type"] for hit in hits} == {"function", "file"}
    hits = json.loads(ask("checkout", "--json", "--type", "imports").out or '{"hits": []}')["hits"]
    assert {hit["type"] for hit in hits} <= {"imports"}


def test_a_limit_and_a_budget_are_kept(ask):
    """At most N hits; texts of at most N characters."""
    assert len(json.loads(ask("checkout", "--json", "-n", "1").out)["hits"]) == 1
    for budget in (1, 100, 500, 5000):
        hits = json.loads(ask("checkout", "--json", "--budget", str(budget)).out)["hits"]
        assert sum(len(hit["text"]) for hit in hits) <= budget


def test_long_hits_are_cut_and_shown_whole_on_demand(ask):
    """With `--full` or a budget."""
    assert "…" in ask("search", "SessionStore visitor", "-n", "1").out
    for option in (["--full"], ["--budget", "100000"]):
        assert "…" not in ask("search", "SessionStore visitor", *option).out


def test_only_paths_are_shown_on_demand(ask):
    """One line each, best first, for another program."""
    result = ask("-l", "total price")
    assert result.lines[0] == "shop/cart.py"
    assert len(result.lines) == len(set(result.lines))
    assert result.err.startswith("callsite: at ")


def test_reasons_are_shown_on_demand(ask):
    """They add up to the score."""
    for option in ("--reasons", "--explain"):
        shown = [
            re.fullmatch(r" +([+-]?\d+\.\d\d)  \D.*", line) for line in ask("total price", option, "-n", "1").lines
        ]
        score, *parts = [float(found[1]) for found in shown if found]
        assert score == pytest.approx(sum(parts), abs=0.1)


def test_markdown_has_a_block_for_each_hit(ask):
    """For a chat or an issue."""
    text = ask("total price", "--markdown", "-n", "1").out
    assert text.startswith("### `shop/cart.py:")
    assert "\n```python\n" in text
    assert text.splitlines()[-1].startswith("_at ")


def test_json_is_one_object(ask):
    """With everything that there is to know."""
    record = json.loads(ask("total price", "--json").out)
    assert (record["format"], record["question"], record["root"]) == (1, "total price", str(ask.place))
    hit = record["hits"][0]
    lines = (ask.place / hit["path"]).read_text("utf-8").split("\n")
    assert hit["text"] == "\n".join(lines[hit["first_line"] - 1 : hit["last_line"]])
    assert hit["score"] == pytest.approx(sum(reason["value"] for reason in hit["reasons"]))
    assert record["freshness"]["commit"] == git(ask.place, "rev-parse", "HEAD")


def test_colours_are_as_wished(ask):
    """Never in a pipe unless they are asked for; the letters are the same."""
    plain = ask("total price", "--color", "never").out
    assert plain == ask("total price").out == ask("total price", "--color", "auto").out
    assert "\x1b[" not in plain
    coloured = ask("total price", "--color", "always", environment_={"NO_COLOR": "1"}).out
    assert "\x1b[1;4m" in coloured or ";1;4m" in coloured


def test_every_call_knows_the_last_edit(ask_alone):
    """An edit, a new file and a removed one."""
    assert ask_alone("search", "warehouse").code == 1
    write(ask_alone.place, {"shop/stock.py": "def warehouse():\n    return 1\n"})
    result = ask_alone("search", "warehouse")
    check(result, first="shop/stock.py:1-2  warehouse")
    assert "1 changed" in result.lines[-1]
    assert ask_alone("--no-index", "warehouse", "-l").lines == ["shop/stock.py"]
    (ask_alone.place / "shop" / "stock.py").unlink()
    assert ask_alone("search", "warehouse").code == 1


def test_an_answer_can_be_had_without_looking(ask_alone):
    """`--no-index` answers from what is there; a status tells how old that is."""
    ask_alone("index")
    write(ask_alone.place, {"shop/stock.py": "def warehouse():\n    return 1\n"})
    assert ask_alone("search", "--no-index", "warehouse").code == 1
    assert "1 not yet indexed" in ask_alone("status").lines[0]


def test_a_commit_can_be_searched(ask_alone):
    """As if the files were as they were then."""
    write(ask_alone.place, {"shop/stock.py": "def warehouse():\n    return 1\n"})
    git(ask_alone.place, "add", "-A")
    git(ask_alone.place, "commit", "-q", "-m", "Add a warehouse")
    assert ask_alone("search", "warehouse").code == 0
    assert ask_alone("search", "warehouse", "--commit", "HEAD~1").code == 1
    result = ask_alone("search", "warehouse", "--commit", "no-such")
    assert result.code == 2
    assert "no-such" in result.err


def test_a_bare_repository_is_searched(ask_alone, tmp_path):
    """Its HEAD, with paths as they are inside."""
    git(tmp_path, "clone", "-q", "--bare", str(ask_alone.place), "bare.git")
    for line in (["total price", "bare.git"], ["total price", "--in", "bare.git", "--commit", "main"]):
        check(ask_alone(*line, here=tmp_path), first="shop/cart.py:")
    check(ask_alone("total price", here=tmp_path / "bare.git"), first="shop/cart.py:")


def test_a_plain_folder_is_searched(ask_alone, tmp_path):
    """Without git, its files as they are."""
    write(tmp_path / "notes", {"deep/idea.py": "def brilliant_idea():\n    pass\n"})
    result = ask_alone("brilliant idea", here=tmp_path / "notes")
    check(result, first="deep/idea.py:1-2  brilliant_idea")
    assert result.lines[-1].startswith("no commit, 1 file")


def test_another_repository_is_searched_from_outside(ask, tmp_path):
    """Paths are absolute when they lie neither here nor above."""
    check(ask("total price", str(ask.place), here=tmp_path), first=f"{ask.place}{os.sep}shop{os.sep}cart.py:")


@pytest.mark.skipif(sys.platform != "linux", reason="file names are any bytes on Linux only")
def test_names_of_any_bytes_are_found_and_shown(ask_alone):
    """In a pipe with their bytes, in JSON with an escape and the bytes in base64, never raw on a terminal."""
    name = os.fsdecode(b"caf\xe9 \x1b[31m.py")
    (ask_alone.place / name).write_text("def espresso():\n    pass\n")
    assert ask_alone("espresso", "-l").lines == [name]
    assert ask_alone("espresso").lines[0].startswith("caf\\xe9 \\x1b[31m.py:1-2")
    assert ask_alone("espresso", "--markdown").lines[0].startswith("### `caf\\xe9 \\x1b[31m.py:1-2`")
    (hit,) = json.loads(ask_alone("espresso", "--json").out)["hits"]
    assert hit["path"] == "caf\\xe9 \\x1b[31m.py"
    assert base64.b64decode(hit["path_base64"]) == os.fsencode(name)


def test_code_with_control_characters_does_nothing(ask_alone):
    """Neither to a terminal nor to the reader's eyes."""
    write(ask_alone.place, {"bad.py": "def evil_code():\n    return '\x1b]0;title\x07\u202e'\n"})
    assert "return '\\x1b]0;title\\x07\\u202e'" in ask_alone("evil code").out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["search", ""], 'the question is empty; ask like this: callsite search "'),
        (["search", "a", "--in", "nowhere"], "search: 'nowhere' does not exist"),
        (["search", "a", "-n", "0"], "between 1 and 1000"),
        (["search", "a", "--budget", "0"], "at least one character"),
        (["search", "a", "--type", "banana"], "there is no type 'banana'; known are file, class"),
        (["search", "a", "--lang", "pyhton"], "there is no language 'pyhton'; near are python"),
        (["search", "a", "--bad"], "callsite: search: there is no option '--bad'"),
        (["search", "a", "--color", "blue"], "invalid choice: 'blue'"),
        (["index", "of", "files"], "to search for words: callsite search"),
        (["status", "nowhere"], "or search for words with `callsite search`"),
    ],
)
def test_an_error_is_one_line_that_says_what_to_do(ask, line, said):
    """On standard error, with exit code 2."""
    result = ask(*line)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("callsite: ")
    assert result.err.count("\n") == 1
    assert said in result.err
