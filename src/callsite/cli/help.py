"""How is the command line explained? A parser of argparse made from the table, for help, completion and reference.

Lines themselves are read without it: it costs 5 ms of every search.
"""

from __future__ import annotations

import argparse

from callsite.cli.options import COMMANDS, Command, Option
from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

Parser = argparse.ArgumentParser

_EPILOG = "exit codes: 0 found, 1 nothing found, 2 error; `callsite COMMAND --help` tells the options of a command"
_WORDS = {
    "QUERY": "the question: words, names, a path, code, a report; `-` reads standard input, `@FILE` a file",
    "PATH": "a checkout, a directory or file in one, a bare repository, a folder; the last word, when it exists",
    "SHELL": "bash, zsh or fish",
}


def make_parser() -> Parser:
    """The whole command line as one parser."""
    parser = Parser(prog="callsite", add_help=False, allow_abbrev=False, formatter_class=_Formatter, epilog=_EPILOG)
    parser.description = 'Finds the code that answers a question. `callsite "question"` is short for `callsite search`.'
    parser.usage = 'callsite [COMMAND] [OPTION…] "QUESTION" [PATH]'
    parser.add_argument("-h", "--help", action="store_true", help="tell this")
    parser.add_argument("-V", "--version", action="store_true", help="tell the version")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name, command in COMMANDS.items():
        made = commands.add_parser(name, help=command.brief, **_looks(name))
        _add_options(made, command)
        _add_words(made, command)
    return parser


def help_of(command: str) -> str:
    """The help text of a command, of the whole program for ""."""
    if not command:
        return make_parser().format_help()
    parser = Parser(prog=f"callsite {command}", **_looks(command))
    _add_options(parser, COMMANDS[command])
    return parser.format_help()


class _Formatter(argparse.HelpFormatter):
    """Fits 80 columns wherever it is read."""

    def __init__(self, prog: str, **_: object) -> None:
        super().__init__(prog, max_help_position=28, width=79)


def _looks(name: str) -> dict[str, Any]:
    command = COMMANDS[name]
    return {
        "usage": " ".join(filter(None, ("callsite", name, "[OPTION…]", command.words))),
        "description": command.brief[:1].upper() + command.brief[1:] + ".",
        "add_help": False,
        "allow_abbrev": False,
        "formatter_class": _Formatter,
    }


def _add_options(parser: Parser, command: Command) -> None:
    for option in command.options:
        parser.add_argument(*option.names, dest=option.key, help=option.help, **_kind(option))


def _kind(option: Option) -> dict[str, Any]:
    if not option.metavar:
        return {"action": "store_true"}
    kind = {"metavar": option.metavar, "default": option.unset()}
    if option.repeats:
        return kind | {"action": "append"}
    return kind | {"type": int if option.is_count else str, "choices": option.choices or None}


def _add_words(parser: Parser, command: Command) -> None:
    """The words as arguments, for whoever reads the parser."""
    for word, meaning in _WORDS.items():
        if word in command.words.replace("[PATH]", "PATH").replace("…", "").split():
            parser.add_argument(word.lower(), metavar=word, nargs="*", help=meaning)
