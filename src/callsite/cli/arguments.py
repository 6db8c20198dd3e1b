"""What do the words of a command line mean? One table of commands and options; help and completion come from it.

Only the parser of the command that was typed is built. Words are sorted here, not by argparse: options may stand
anywhere between them, and which of them is a path depends on what exists.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence

from callsite.errors import CallsiteError
from callsite.values import TYPE_CHECKING, dataclass

if TYPE_CHECKING:
    from typing import Any

_REPEATABLE = ("lang", "globs", "types")
COLOURS = ("auto", "always", "never")
SHELLS = ("bash", "zsh", "fish")
EPILOG = "exit codes: 0 found, 1 nothing found, 2 error; `callsite COMMAND --help` tells the options of a command"

Parser = argparse.ArgumentParser


class UsageError(CallsiteError):
    """The command line can't be meant; the message says which words and what to do."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what follows its name, what it does, the options that it takes."""

    words: str
    brief: str
    add_options: Callable[[Parser], None]


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a command line, with `command`, `words`, and `after` (what follows `--`, None without it).

    A first word that is no command belongs to a question. Raises UsageError.
    """
    first = arguments[0] if arguments else ""
    if first in ("-h", "--help", "-V", "--version"):
        return argparse.Namespace(command="", help=first in ("-h", "--help"), version=first in ("-V", "--version"))
    command = first if first in COMMANDS else "search"
    rest = list(arguments[1:] if first in COMMANDS else arguments)
    at = rest.index("--") if "--" in rest else None
    options, words = _parser_of(command).parse_known_args(rest[:at])
    _require_values(command, options)
    options.command, options.after = command, None if at is None else rest[at + 1 :]
    options.words = [] if options.help else _words(command, words)
    return options


def make_parser() -> Parser:
    """The whole command line as one parser, for help, completion and the reference page."""
    parser = _Parser(prog="callsite", add_help=False, allow_abbrev=False, formatter_class=_Formatter, epilog=EPILOG)
    parser.description = 'Finds the code that answers a question. `callsite "question"` is short for `callsite search`.'
    parser.usage = 'callsite [COMMAND] [OPTION…] "QUESTION" [PATH]'
    _add_help(parser)
    parser.add_argument("-V", "--version", action="store_true", help="tell the version")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name, command in COMMANDS.items():
        made = commands.add_parser(name, help=command.brief, **_looks(name))
        command.add_options(made)
        _add_words(made, name)
    return parser


def help_of(command: str) -> str:
    """The help text of a command, of the whole program for ""."""
    return (_parser_of(command) if command else make_parser()).format_help()


class _Parser(Parser):
    """A parser that raises instead of ending the process."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise UsageError(f"{self.prog.removeprefix('callsite ')}: {message}; see `{self.prog} --help`")


class _Formatter(argparse.HelpFormatter):
    """Fits 80 columns wherever it is read; asking for the terminal's width would cost an import in every call."""

    def __init__(self, prog: str, **_: object) -> None:
        super().__init__(prog, max_help_position=28, width=79)


def _parser_of(name: str) -> Parser:
    parser = _Parser(prog=f"callsite {name}", **_looks(name))
    parser.set_defaults(path="", commit="")  # for the commands that don't take them
    COMMANDS[name].add_options(parser)
    return parser


def _looks(name: str) -> dict[str, Any]:
    command = COMMANDS[name]
    return {
        "usage": " ".join(filter(None, ("callsite", name, "[OPTION…]", command.words))),
        "description": command.brief[:1].upper() + command.brief[1:] + ".",
        "add_help": False,
        "allow_abbrev": False,
        "formatter_class": _Formatter,
    }


def _words(command: str, words: Sequence[str]) -> list[str]:
    for word in words:
        if _looks_like_an_option(word):
            hint = "; words that start with a dash go behind `--`" if "QUERY" in COMMANDS[command].words else ""
            raise UsageError(f"{command}: there is no option {word!r}{hint}; see `callsite {command} --help`")
    return list(words)


def _require_values(command: str, options: argparse.Namespace) -> None:
    """argparse takes a `--` that was meant as a value (`--path=--`) for none, and an empty list for the value."""
    if any(value == [] or (isinstance(value, list) and [] in value) for value in _given(options)):
        raise UsageError(f"{command}: `--` can't be the value of an option; see `callsite {command} --help`")


def _given(options: argparse.Namespace) -> list[object]:
    return [value for name, value in vars(options).items() if name not in _REPEATABLE or value]


def _looks_like_an_option(word: str) -> bool:
    is_number = word[1:].replace(".", "", 1).isdecimal()
    return len(word) > 1 and word.startswith("-") and not is_number and not any(letter.isspace() for letter in word)


def _add_words(parser: Parser, name: str) -> None:
    """The words as arguments, for whoever reads the parser; `parse` sorts them itself."""
    for word, meaning in _WORDS.items():
        if word in COMMANDS[name].words.replace("[PATH]", "PATH").replace("…", "").split():
            parser.add_argument(word.lower(), metavar=word, nargs="*", help=meaning)


_WORDS = {
    "QUERY": "the question: words, names, a path, code, a report; `-` reads standard input, `@FILE` a file",
    "PATH": "a checkout, a directory or file in one, a bare repository, a folder; the last word, when it exists",
    "SHELL": "bash, zsh or fish",
}


def _add_help(parser: Parser) -> None:
    parser.add_argument("-h", "--help", action="store_true", help="tell this")


def _add_source(parser: Parser) -> None:
    _add_help(parser)
    parser.add_argument("--in", dest="path", metavar="PATH", default="", help="look in this checkout, directory, file")
    parser.add_argument("--commit", metavar="REV", default="", help="look at a commit instead of the files as they are")


def _add_filters(parser: Parser) -> None:
    add = parser.add_argument
    add("--lang", metavar="NAME", action="append", default=[], help="only files in this language; may be repeated")
    add("--path", dest="globs", metavar="GLOB", action="append", default=[],
        help="only paths that match, as in .gitignore; `!GLOB` excludes; may be repeated")  # fmt: skip
    add("--type", dest="types", metavar="TYPE", action="append", default=[],
        help="only file, class, function, imports, constant, section or lines; may be repeated")  # fmt: skip


def _add_json(parser: Parser) -> None:
    parser.add_argument("--json", action="store_true", help="answer as one JSON object")


def _search_options(parser: Parser) -> None:
    _add_source(parser)
    _add_filters(parser)
    add = parser.add_argument
    add("-n", "--limit", metavar="N", type=_count, default=None, help="at most N hits (10; all that fit a budget)")
    add("--budget", metavar="N", type=_count, default=None, help="whole texts, together at most N characters")
    add("--full", action="store_true", help="show hits whole, not only the lines that match best")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="answer as one JSON object")
    form.add_argument("--markdown", action="store_true", help="answer as Markdown")
    form.add_argument("-l", "--files-only", action="store_true", help="only the paths, best first")
    add("--reasons", "--explain", action="store_true", help="tell under each hit how its score comes about")
    add("--no-index", action="store_true", help="answer from what is indexed, without looking for changes")
    add("--color", metavar="WHEN", choices=COLOURS, default="auto", help="auto, always or never")


def _explain_options(parser: Parser) -> None:
    _add_source(parser)
    parser.add_argument("--at", metavar="PATH[:LINE]", default="", help="the place that is asked about")
    _add_filters(parser)
    _add_json(parser)


def _files_options(parser: Parser) -> None:
    _add_source(parser)
    parser.add_argument("--skipped", action="store_true", help="list what is not searched, each with the reason")
    _add_json(parser)


def _index_options(parser: Parser) -> None:
    _add_source(parser)
    _add_json(parser)


def _clear_options(parser: Parser) -> None:
    _add_help(parser)
    parser.add_argument("--in", dest="path", metavar="PATH", default="", help="a path in the checkout")


def _count(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no whole number") from error


COMMANDS = {
    "search": Command("QUERY… [PATH]", "find the code that answers a question, best first", _search_options),
    "index": Command("[PATH]", "bring the index up to date", _index_options),
    "status": Command("[PATH]", "tell what the index shows, changing nothing", _index_options),
    "files": Command("[PATH]", "list the files that are searched", _files_options),
    "chunk": Command("PATH…", "write the chunks of files as JSON lines, without an index", _add_help),
    "explain": Command(
        "QUERY… --at PATH[:LINE] [PATH]", "tell why a place is in the answer, or why not", _explain_options
    ),
    "clear": Command("[PATH]", "remove the index of a repository", _clear_options),
    "completion": Command("SHELL", "write a completion script for bash, zsh or fish", _add_help),
}


def part_words(options: argparse.Namespace) -> tuple[list[str], str]:
    """The words of a question, and the path to look in ("" when none is given).

    `words -- path` and `--in path` name it; otherwise the last of several words is one when it exists. What follows a
    `--` at the start is words only. Raises UsageError.
    """
    words, after = list(options.words), options.after
    if after is not None and words and not options.path:
        if len(after) != 1:
            n = len(after)
            raise UsageError(f"{options.command}: one path has to follow `--`, not {n}; quote one with spaces")
        return words, after[0]
    if after is not None or options.path:
        return words + (after or []), options.path
    if len(words) > 1 and os.path.lexists(words[-1]):
        return words[:-1], words[-1]
    return words, ""


def one_path(options: argparse.Namespace) -> str:
    """The path of a command that takes nothing else, "" without one; UsageError for more than one."""
    paths = [*options.words, *(options.after or []), *filter(None, [options.path])]
    if len(paths) > 1:
        said = f"{options.command}: one path at most, not {' '.join(paths)[:60]!r}"
        raise UsageError(f"{said}; to search for words: callsite search …")
    return paths[0] if paths else ""
