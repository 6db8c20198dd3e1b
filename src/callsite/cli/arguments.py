"""What do the words of a command line mean? Options may stand anywhere between them; what exists may be a path."""

from __future__ import annotations

import os
from collections.abc import Sequence

from callsite.cli.options import COMMANDS, Option
from callsite.errors import CallsiteError
from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


class UsageError(CallsiteError):
    """The command line can't be meant; the message says which words and what to do."""


class Options:
    """What a command line says: `command`, `words`, `after`, and the value of each option of the command."""

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def parse(arguments: Sequence[str]) -> Options:
    """The options of a command line, with `command`, `words`, and `after` (what follows `--`, None without it).

    A first word that is no command belongs to a question. Raises UsageError.
    """
    first = arguments[0] if arguments else ""
    if first in ("-h", "--help", "-V", "--version"):
        return Options(command="", help=first in ("-h", "--help"), version=first in ("-V", "--version"))
    command = first if first in COMMANDS else "search"
    rest = list(arguments[1:] if first in COMMANDS else arguments)
    at = rest.index("--") if "--" in rest else None
    line = _Line(command)
    line.read(rest[:at])
    words = [] if line.values["help"] else line.words
    return Options(**line.values, command=command, words=words, after=None if at is None else rest[at + 1 :])


class _Line:
    """A command line being read."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._options = {name: option for option in COMMANDS[command].options for name in option.names}
        self._form = ""
        self.words: list[str] = []
        self.values: dict[str, Any] = {"path": "", "commit": ""}  # for the commands that don't take them
        self.values |= {option.key: option.unset() for option in COMMANDS[command].options}

    def read(self, arguments: Sequence[str]) -> None:
        """Sort the arguments into options, their values, and words."""
        rest = list(reversed(arguments))
        while rest:
            word = rest.pop()
            name, value = self._parted(word)
            if name in self._options and value and not name.startswith("--") and not self._options[name].metavar:
                rest += [f"-{value}", name]  # `-ln3` is `-l -n3`
            elif name in self._options:
                self._set(self._options[name], value, rest)
            elif _looks_like_an_option(word):
                asks = "QUERY" in COMMANDS[self._command].words
                hint = "; words that start with a dash go behind `--`" if asks else ""
                raise self._mistake(f"there is no option {word!r}{hint}")
            else:
                self.words.append(word)

    def _parted(self, word: str) -> tuple[str, str | None]:
        """The name of an option and the value that is written to it: `--limit=3`, `-n3`; None for none."""
        if word in self._options:
            return word, None
        if word.startswith("--"):
            name, _, value = word.partition("=")
            return name, value
        name = word[:2]
        if name in self._options and (self._options[name].metavar or not any(map(str.isspace, word))):
            return name, word[2:].removeprefix("=")
        return "", None

    def _set(self, option: Option, value: str | None, rest: list[str]) -> None:
        if not option.metavar:
            if value is not None:
                raise self._mistake(f"argument {option.label}: takes no value, not {value[:40]!r}")
            self.values[option.key] = True
        else:
            found = self._checked(option, _next(rest) if value is None else value, is_own=value is None)
            self.values[option.key] = [*self.values[option.key], found] if option.repeats else found
        if option.is_form:
            if self._form not in ("", option.label):
                raise self._mistake(f"argument {option.label}: not allowed with argument {self._form}")
            self._form = option.label

    def _checked(self, option: Option, value: str | None, *, is_own: bool) -> str | int:
        """A value as the option takes it; `is_own` when it is a word by itself."""
        if value is None or (is_own and _looks_like_an_option(value)):
            raise self._mistake(f"argument {option.label}: expected one argument")
        if value == "--":
            raise self._mistake("`--` can't be the value of an option")
        if option.choices and value not in option.choices:
            known = ", ".join(option.choices)
            raise self._mistake(f"argument {option.label}: invalid choice: {value[:40]!r} (choose from {known})")
        if not option.is_count:
            return value
        try:
            return int(value)
        except ValueError:
            raise self._mistake(f"argument {option.label}: {value[:40]!r} is no whole number") from None

    def _mistake(self, message: str) -> UsageError:
        return UsageError(f"{self._command}: {message}; see `callsite {self._command} --help`")


def _next(rest: list[str]) -> str | None:
    return rest.pop() if rest else None


def _looks_like_an_option(word: str) -> bool:
    is_number = word[1:].replace(".", "", 1).isdecimal()
    return len(word) > 1 and word.startswith("-") and not is_number and not any(letter.isspace() for letter in word)


def part_words(options: Options) -> tuple[list[str], str]:
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


def one_path(options: Options) -> str:
    """The path of a command that takes nothing else, "" without one; UsageError for more than one."""
    paths = [*options.words, *(options.after or []), *filter(None, [options.path])]
    if len(paths) > 1:
        said = f"{options.command}: one path at most, not {' '.join(paths)[:60]!r}"
        raise UsageError(f"{said}; to search for words: callsite search …")
    return paths[0] if paths else ""
