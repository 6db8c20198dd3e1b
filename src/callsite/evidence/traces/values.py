"""What a stack trace is, whatever language printed it."""

from __future__ import annotations

from callsite.values import dataclass

#: Where the code of a frame comes from, as far as its path and names tell: `project` means nothing else is known.
ORIGINS = ("project", "dependency", "runtime", "runner")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One call on the stack, as it was printed."""

    path: str = ""  #: as written, perhaps of another machine; "" when only names are printed
    line: int = 0  #: from 1; 0 when it is not printed
    function: str = ""  #: the plain name of the function, without its type, closures and decorations
    owner: str = ""  #: the type or module that it belongs to, qualified as printed
    origin: str = "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The stack of one error, with what is said of the error."""

    language: str
    frames: tuple[Frame, ...]  #: innermost first, however the language prints them
    error: str = ""  #: the class, or the word that the runtime uses
    message: str = ""
    first_line: int = 1  #: of the text, as `last_line`: what the trace takes up, its error lines included
    last_line: int = 1
    frame_lines: tuple[int, ...] = ()  #: those that print frames, in order


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedTest:
    """A test that a runner reports as failed."""

    runner: str
    name: str  #: of its function, or the words that describe it; "" when only its file or type is known
    owner: str = ""  #: type, module or suites that it belongs to
    path: str = ""  #: of its file, as written
    line: int = 0  #: where it stands or where it failed; 0 when it is not printed
    error: str = ""  #: the class
    message: str = ""
    code: tuple[str, ...] = ()  #: the lines of it that are shown
    first_line: int = 1  #: of the text: where its report begins, else where it is named first
