"""Where does what is said go? Answers to standard output, notes to standard error, both UTF-8 in any locale."""

from __future__ import annotations

import errno
import os
import sys

from callsite.cli.clean import clean_line
from callsite.errors import CallsiteError
from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

_GONE = (errno.EPIPE, errno.EINVAL)  # Windows says EINVAL


class OutputFailed(CallsiteError):
    """The answer can't be written."""


class Output:
    """Both streams of one call."""

    def __init__(self) -> None:
        self.closed = sys.stdout is None  #: nobody reads any more: what is written is dropped

    @property
    def is_terminal(self) -> bool:
        return _is_terminal(sys.stdout)

    def width(self, wished: int) -> int:
        """Columns of the terminal, 0 when standard output is none."""
        if not self.is_terminal:
            return 0
        try:
            return wished or os.get_terminal_size(sys.stdout.fileno()).columns
        except OSError:
            return 80

    def write(self, text: str) -> None:
        """Write a part of the answer at once; OutputFailed when there is no room for it."""
        if self.closed:
            return
        try:
            _write(sys.stdout, text)
        except OSError as error:
            self.closed = True
            _drop_rest()
            if error.errno not in _GONE:
                raise OutputFailed(
                    f"the answer can't be written: {error.strerror}; free some room or write elsewhere"
                ) from error

    def note(self, text: str) -> None:
        """Say something on standard error, in one line."""
        if sys.stderr is not None:
            try:
                _write(sys.stderr, f"callsite: {clean_line(text)}\n")
            except OSError:
                return


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _write(stream: TextIO, text: str) -> None:
    stream.flush()
    stream.buffer.write(text.encode("utf-8", "surrogateescape"))
    stream.buffer.flush()


def _drop_rest() -> None:
    """Let the interpreter write what is left in its buffers into nothing, so that it says nothing when it ends."""
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)
    except OSError:
        return
