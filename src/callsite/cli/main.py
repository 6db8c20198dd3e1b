"""The door that people come in by: from a command line to an exit code, whatever happens on the way."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from callsite.cli.output import Output
from callsite.errors import CallsiteError

FAILED = 2
INTERRUPTED = 130  # 128 and the number of the signal, as shells count

_REPORT = "this is a bug in callsite: please report it with what CALLSITE_DEBUG=1 shows"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (without the program's name; None = that of this process); the exit code.

    0 found, 1 nothing found, 2 error, 130 interrupted. Nothing is raised; errors are one line on standard error.
    """
    output = Output()
    try:
        return _run(sys.argv[1:] if arguments is None else list(arguments), output)
    except KeyboardInterrupt:
        return INTERRUPTED
    except CallsiteError as error:
        output.note(str(error))
    except Exception as error:  # noqa: BLE001 - a person gets a sentence, never a traceback
        _say_bug(error, output)
    return FAILED


def _run(arguments: list[str], output: Output) -> int:
    from callsite.cli.arguments import help_of, parse
    from callsite.settings import terminal_wishes

    options = parse(arguments)
    if options.help or (not arguments and (sys.stdin is None or sys.stdin.isatty())):
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
