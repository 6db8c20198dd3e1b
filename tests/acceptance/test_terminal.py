"""The command in a real terminal: colours, widths, the bar, nothing that acts."""

from __future__ import annotations

import os
import re
import sys

import pytest
from command_line import write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX terminal")

ESCAPE = re.compile(r"\x1b\[[\d;]*m")


def test_answers_have_colours(ask):
    """Places, names, code, and the words that matched."""
    shown = ask.in_terminal("total price").out
    assert "\x1b[1;35mshop/cart.py:" in shown
    assert re.search(r"\x1b\[(\d+;)?1;4mtotal_price\x1b\[0m", shown)
    assert "\x1b[35mdef\x1b[0m" in shown


@pytest.mark.parametrize(
    ("options", "more"), [([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"}), (["--color", "never"], {})]
)
def test_colours_can_be_refused(ask, options, more):
    """By the two customs of the environment, and by the option."""
    assert "\x1b" not in ask.in_terminal("total price", *options, **more).out


def test_colours_can_be_insisted_on(ask):
    """Whatever the environment says."""
    assert "\x1b[" in ask.in_terminal("total price", "--color", "always", NO_COLOR="1").out


@pytest.mark.parametrize("columns", [30, 80])
def test_lines_fit_the_terminal(ask_alone, columns):
    """Long lines end in `…`; nothing is wrapped by the terminal."""
    write(ask_alone.place, {"wide.py": "def wide_function():\n    return '" + "漢字 abc " * 40 + "'\n"})
    lines = ESCAPE.sub("", ask_alone.in_terminal("wide function", "-n", "1", columns=columns).out).splitlines()
    widths = [sum(2 if letter in "漢字" else 1 for letter in line) for line in lines[:3]]
    assert max(widths) <= columns
    assert lines[2].endswith("…")


def test_the_width_can_be_set(ask):
    """COLUMNS, as for other programs."""
    lines = ESCAPE.sub("", ask.in_terminal("total price", COLUMNS="25").out).splitlines()
    assert all(len(line) <= 25 for line in lines if line.startswith("  "))


def test_a_pipe_gets_whole_lines(ask_alone):
    """There is no width to keep to."""
    write(ask_alone.place, {"wide.py": "def wide_function():\n    return '" + "abc " * 100 + "'\n"})
    assert "abc " * 100 in ask_alone.process("wide function").out


def test_names_and_code_do_nothing_to_the_terminal(ask_alone):
    """Escape sequences are shown, in lists too."""
    name = "red \x1b[31m.py"
    write(ask_alone.place, {name: "def evil_code():\n    return '\x1b]0;title\x07'\n"})
    for line in (["evil code", "--color", "never"], ["-l", "evil code"], ["files"]):
        shown = ask_alone.in_terminal(*line).out
        assert "red \\x1b[31m.py" in shown
        assert "\x1b" not in shown


def test_a_bar_shows_how_far_long_work_is(ask_alone):
    """On standard error, and it goes away again; without patience any work is long."""
    shown = ask_alone.in_terminal("total price", patience=0)
    assert shown.code == 0
    assert "Indexing" in shown.out
    assert "Indexing" not in ask_alone.in_terminal("total price", patience=0).out
    again = ask_alone.process("clear")
    assert again.code == 0
    assert ask_alone.process("total price").err == ""


def test_short_work_shows_no_bar(ask_alone):
    """What is done before anybody wonders."""
    assert "Indexing" not in ask_alone.in_terminal("total price").out


def test_without_words_help_is_shown(ask):
    """A terminal is not waited for."""
    result = ask.in_terminal()
    assert result.code == 0
    assert result.out.startswith("usage: callsite")
    assert ask.in_terminal("search").code == 2


def test_a_terminal_can_be_the_input(ask):
    """With `-`: typed, and ended with control-D."""
    shown = ask.in_terminal("-l", "-", text=b"total price\n\x04").out
    assert f"shop{os.sep}cart.py" in shown
