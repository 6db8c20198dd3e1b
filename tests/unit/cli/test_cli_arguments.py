"""What the words of a command line mean: commands, options anywhere, questions, paths, mistakes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite.cli.arguments import UsageError, one_path, parse, part_words
from callsite.cli.help import help_of, make_parser
from callsite.cli.options import COMMANDS


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A directory with one folder and one file in it."""
    (tmp_path / "src").mkdir()
    (tmp_path / "main.py").touch()
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (["search", "a", "b"], (["a", "b"], "")),
        (["a question"], (["a question"], "")),
        (["a", "src"], (["a"], "src")),
        (["src"], (["src"], "")),
        (["search", "src"], (["src"], "")),
        (["where", "is", "main.py"], (["where", "is"], "main.py")),
        (["where is main.py"], (["where is main.py"], "")),
        (["where", "is", "gone.py"], (["where", "is", "gone.py"], "")),
        (["--in", "src", "a", "main.py"], (["a", "main.py"], "src")),
        (["a", "b", "--", "gone"], (["a", "b"], "gone")),
        (["--", "--help", "src"], (["--help", "src"], "")),
        (["--in", "src", "--", "-x"], (["-x"], "src")),
        (["-", "src"], (["-"], "src")),
        (["search"], ([], "")),
        (["search", ""], ([""], "")),
        (["a", "-1", "-n", "3"], (["a", "-1"], "")),
        (["-x and more words"], (["-x and more words"], "")),
        (["explain", "a", "--at", "main.py:3", "b"], (["a", "b"], "")),
    ],
)
def test_words_and_path_are_told_apart(line, expected):
    """The last of several words is a path when it exists; `--` and `--in` say it openly."""
    assert part_words(parse(line)) == expected


def test_short_options_may_be_written_together():
    """A value follows the last of them, with or without a space."""
    for line in (["-ln3", "a"], ["-ln", "3", "a"], ["a", "-l", "-n=3"]):
        options = parse(line)
        assert (options.files_only, options.limit, options.words) == (True, 3, ["a"])


@pytest.mark.parametrize("line", [["a", "--json", "b"], ["--json", "a", "b"], ["search", "a", "b", "--json"]])
def test_options_stand_anywhere(line):
    """Before, between and behind the words."""
    options = parse(line)
    assert (options.command, options.words, options.json) == ("search", ["a", "b"], True)


def test_all_options_of_a_search_are_understood():
    """Each in its long or short form."""
    line = (
        "search --lang go --lang rust --path src/** --path !*_test.go --type class -n 3 --budget 500 --full --json"
        " --reasons --no-index --color never --commit HEAD~1 --in x words"
    )
    found = vars(parse(line.split()))
    assert found == {
        "help": False, "path": "x", "commit": "HEAD~1", "lang": ["go", "rust"], "globs": ["src/**", "!*_test.go"],
        "types": ["class"], "limit": 3, "budget": 500, "full": True, "json": True, "markdown": False,
        "files_only": False, "reasons": True, "no_index": True, "color": "never", "command": "search", "after": None,
        "words": ["words"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["search", "-x"], "there is no option '-x'; words that start with a dash go behind `--`"),
        (["status", "--bad"], "there is no option '--bad'; see"),
        (["search", "a", "--js"], "there is no option '--js'"),
        (["search", "a", "-n", "many"], "'many' is no whole number"),
        (["search", "a", "-n"], "expected one argument"),
        (["search", "a", "--color", "blue"], "invalid choice: 'blue'"),
        (["search", "a", "--json", "--markdown"], "not allowed with"),
        (["search", "a", "-n", "9" * 5000], "is no whole number"),
        (["search", "a", "--path=--"], "`--` can't be the value of an option"),
        (["search", "a", "--in=--"], "`--` can't be the value of an option"),
        (["search", "a", "-n--"], "`--` can't be the value of an option"),
    ],
)
def test_a_mistake_is_named(line, said):
    """As a UsageError that says which word is wrong and where to read on."""
    with pytest.raises(UsageError) as caught:
        parse(line)
    assert said in str(caught.value)
    assert "--help" in str(caught.value)


@pytest.mark.parametrize("line", [["a", "--", "b", "c"], ["a", "--"]])
def test_one_path_follows_the_words(line):
    """None or two are a mistake."""
    with pytest.raises(UsageError, match="one path has to follow"):
        part_words(parse(line))


@pytest.mark.parametrize(
    ("line", "expected"),
    [(["index"], ""), (["index", "x"], "x"), (["index", "--in", "x"], "x"), (["index", "--", "-x"], "-x")],
)
def test_other_commands_take_one_path(line, expected):
    """As a word, behind `--`, or with `--in`."""
    assert one_path(parse(line)) == expected


def test_words_for_a_command_that_takes_a_path_are_a_mistake():
    """Somebody who wants to search for "index of files" is told how."""
    with pytest.raises(UsageError, match="to search for words: callsite search"):
        one_path(parse(["index", "of", "files"]))


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_80_columns_and_tells_of_every_option(command):
    """It is made from the same table that lines are read with."""
    text = help_of(command)
    assert max(map(len, text.splitlines())) < 80
    assert "--help" in text
    if not command:
        assert [name for name in COMMANDS if name not in text] == []


def test_the_whole_parser_has_every_command():
    """The reference page and the completion scripts come from it."""
    (commands,) = [action.choices for action in make_parser()._actions if hasattr(action, "_choices_actions")]
    assert set(commands) == set(COMMANDS)


@given(
    st.lists(
        st.text(st.characters(codec=None), max_size=12)
        | st.sampled_from([*COMMANDS, "--", "-n", "--json", "-l", "--in"]),
        max_size=6,
    )
)
def test_no_line_does_anything_but_parse_or_be_refused(line):
    """Whatever the words are."""
    try:
        options = parse(line)
        if options.command:
            part_words(options)
            one_path(options)
    except UsageError as error:
        assert str(error)
