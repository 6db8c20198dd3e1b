"""The command as a process: streams that close, encodings, signals, modules that stay out."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest
from command_line import environment

POSIX = pytest.mark.skipif(os.name == "nt", reason="needs POSIX")


def start(ask, *arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "callsite", *arguments], cwd=ask.place, env=environment(ask.home),
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, **options,
    )  # fmt: skip


def test_exit_codes_reach_the_shell(ask):
    """Found, nothing found, error."""
    assert [ask.process(*line).code for line in (["total price"], ["zyxwv"], ["a", "--bad"])] == [0, 1, 2]


@POSIX
@pytest.mark.parametrize("line", [["checkout"], ["chunk", "."], ["--help"]])
def test_a_reader_that_leaves_is_no_error(ask, line):
    """`callsite … | head -1`: nothing on standard error, the usual exit code."""
    read, write = os.pipe()
    os.close(read)
    process = start(ask, *line, stdout=write)
    os.close(write)
    assert process.communicate()[1] == b""
    assert process.returncode in (0, 1)


@POSIX
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_is_an_error(ask):
    """One line, not a traceback at the end of the interpreter."""
    with open("/dev/full", "wb") as full:
        process = start(ask, "checkout", stdout=full)
        said = process.communicate()[1]
    assert process.returncode == 2
    assert said.startswith(b"callsite: the answer can't be written: ")
    assert said.count(b"\n") == 1


@POSIX
def test_closed_streams_are_no_error(ask):
    """As under some services."""
    command = f'"{sys.executable}" -m callsite search checkout <&- >&- 2>&-'
    done = subprocess.run(["sh", "-c", command], cwd=ask.place, env=environment(ask.home), check=False)
    assert done.returncode == 0


@POSIX
def test_output_is_utf_8_in_any_locale(ask_alone):
    """So that programs can rely on it."""
    (ask_alone.place / "grün.py").write_text("def größe():\n    return 'ü'\n", "utf-8")
    for locale in ({"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}):
        result = ask_alone.process("größe", "--json", **locale)
        assert json.loads(result.out)["hits"][0]["name"] == "größe"
        assert "'ü'" in ask_alone.process("größe", **locale).out


@POSIX
def test_arguments_of_any_bytes_are_understood(ask):
    """A question in another encoding finds what it can."""
    assert ask.process(b"total price caf\xe9").code == 0
    assert ask.process("search", "x", "--in", b"\xff").code == 2


@POSIX
def test_an_interrupt_ends_the_process_quietly(ask):
    """It waits for its question on standard input, and gets a signal."""
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"  # a shell may ignore it
        " from callsite.cli import main, question; read = question._standard_input;"
        " question._standard_input = lambda: (print(1, flush=True), read())[1]; sys.exit(main.main(['-']))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ask.place, env=environment(ask.home), stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout.read(2) == b"1\n"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert (process.returncode, said) == (130, b"")


HEAVY = (
    "tantivy sqlite3 Stemmer tree_sitter rich pygments pathspec subprocess pickle "
    "dataclasses inspect typing pathlib hashlib shutil"
)


def loaded(ask, *line):
    """Which of the heavy modules a command line loads."""
    program = "import sys; from callsite.cli.main import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", program, *line], cwd=ask.place, check=True, env=environment(ask.home),
        capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return set(done.stderr.split()) & set(HEAVY.split())


@pytest.mark.parametrize("line", [["--version"], ["--help"], ["search", "--help"]])
def test_help_does_not_load_the_engine(ask, line):
    """It is there at once."""
    assert loaded(ask, *line) == set()


def test_a_search_does_not_load_what_it_does_not_need(ask):
    """Nothing changed and no colours: no grammars, no bar, no highlighting, no pool of processes."""
    ask("index")
    assert loaded(ask, "total price") == {"tantivy", "sqlite3", "Stemmer"}
