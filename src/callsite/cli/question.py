"""Where does the question come from: the words of the command line, standard input or a file?"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from callsite.cli.arguments import UsageError
from callsite.cli.clean import as_unicode
from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO

MOST_BYTES = 4_000_000  # a question is understood from its first 200,000 characters

_TEXT_FILES = (".md", ".txt", ".log", ".rst", ".out")  # `@app.route` is a question

_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def read_question(words: Sequence[str]) -> str:
    """The question that these words are or point to (`-`, `@file`, none); UsageError when there is none."""
    if list(words) == ["-"] or (not words and not _is_terminal()):
        text = _standard_input()
    elif len(words) == 1 and words[0].startswith("@") and os.path.isfile(words[0][1:]):
        text = read_file(words[0][1:])
    elif len(words) == 1 and words[0].startswith("@") and words[0].lower().endswith(_TEXT_FILES):
        raise UsageError(f"{words[0][1:]!r} is no file that can be read; `@` reads the question from a file")
    else:
        text = " ".join(words)
    text = as_unicode(text).encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if not text.strip():
        raise UsageError('the question is empty; ask like this: callsite search "where are requests routed"')
    return text


def _is_terminal() -> bool:
    return sys.stdin is None or sys.stdin.isatty()


def _standard_input() -> str:
    if sys.stdin is None:
        return ""
    try:
        return _decoded(sys.stdin.buffer.read(MOST_BYTES))
    except OSError as error:
        raise UsageError(
            f"the question can't be read from standard input ({error.strerror}); give it as words"
        ) from error


def read_file(name: str) -> str:
    """The text of a file, of standard input for `-`; UsageError when it can't be read."""
    return read_ends(name)[0]


def read_ends(name: str) -> tuple[str, str]:
    """The text of evidence, as `read_file` finds it, and what of it was not read: the middle of an enormous one."""
    try:
        if name == "-":
            data, n_left_out = (b"", 0) if sys.stdin is None else _ends(sys.stdin.buffer)
        else:
            from pathlib import Path

            with Path(name).open("rb") as file:
                data, n_left_out = _ends(file)
    except OSError as error:
        raise UsageError(
            f"the text can't be read from {name!r} ({error.strerror}); name a file that can be read"
        ) from error
    return _decoded(data), f"{n_left_out:,} bytes in the middle of {name!r} were not read" if n_left_out else ""


def _ends(stream: BinaryIO) -> tuple[bytes, int]:
    """The first and the last bytes, and how many between them are left out."""
    half = MOST_BYTES // 2
    first, last, n_left_out = stream.read(half), b"", 0
    while piece := stream.read(half):
        last += piece
        surplus = max(0, len(last) - half)
        surplus += surplus % 2  # whole characters of UTF-16
        last, n_left_out = last[surplus:], n_left_out + surplus
    return first + last, n_left_out


def _decoded(data: bytes) -> str:
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    return data.decode(encoding, "replace")
