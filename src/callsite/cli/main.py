"""The door that people come in by: from a command line to an exit code, whatever happens on the way."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from callsite.cli.output import Output
from callsite.errors import CallsiteError

FAILED = 2
INTERRUPTED = 130  # 128 and the number of the signal, as shells count

_YOUNG_OBJECTS = 50_000  # imports make many objects that stay: looking through them for garbage takes 2 ms

_REPORT = "this is a bug in callsite: please report it with what CALLSITE_DEBUG=1 shows"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (without the program's name); the exit code.

    0 found, 1 nothing found, 2 error, 130 interrupted. Nothing is raised; errors are one line on standard error. None
    is the command line of this process, which then ends here: tearing an interpreter down takes 6 ms.
    """
    if arguments is not None:
        return _answered(list(arguments))
    gc.set_threshold(_YOUNG_OBJECTS)
    code = _answered(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # what was to be said has been said, or nobody listens
            stream.flush()
    os._exit(code)


def _answered(arguments: list[str]) -> int:
    output = Output()
    try:
        return _run(arguments, output)
    except KeyboardInterrupt:
        return INTERRUPTED
    except CallsiteError as error:
        output.note(str(error))
    except Exception as error:  # noqa: BLE001 - a person gets a sentence, never a traceback
        _say_bug(error, output)
    return FAILED


def _run(arguments: list[str], output: Output) -> int:
    from callsite.cli.arguments import parse
    from callsite.settings import terminal_wishes

    options = parse(arguments)
    if options.help or (not arguments and (sys.stdin is None or sys.stdin.isatty())):
        from callsite.cli.help import help_of

        output.write(help_of("" if not arguments else options.command))
        return 0
    if not options.command:
        from callsite import __version__

        output.write(f"callsite {__version__}\n")
        return 0
    from callsite.cli.commands import COMMANDS

    return COMMANDS[options.command](options, output, terminal_wishes())


def _say_bug(error: Exception, output: Output) -> None:
    from callsite.settings import is_debugging

    if is_debugging():
        import traceback

        for line in "".join(traceback.format_exception(error)).splitlines():
            output.note(line)
    said = " ".join(str(error).split())[:200]
    output.note(f"{type(error).__name__}{': ' if said else ''}{said}; {_REPORT}")
