"""Where do traces begin and end in a text, and what do they say? One pass over its lines; never fails."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from callsite.evidence.traces.errors import error_in
from callsite.evidence.traces.failed import LOCAL, NOTHING_FAILED, Failed
from callsite.evidence.traces.forms import FORMS, Form, compiled
from callsite.evidence.traces.lines import lines_of
from callsite.evidence.traces.names import plain_name
from callsite.evidence.traces.origin import origin_of
from callsite.evidence.traces.values import Frame, Trace
from callsite.values import dataclass, replace

_MAX_FRAMES = 1_000  # of one trace: endless recursion prints more, which is taken for several
_HEADING = re.compile(
    r"Traceback \(most recent call last\)|^\W*(?:goroutine \d+ \[|stack backtrace:|stack ?trace(?:back)?:|CallStack)",
    re.IGNORECASE,
)
_LIKE_PATH = r"(?<![^\s()])[^\s()/\\]*[/\\][^\s()]*"
_LINES_OF_ERROR = 4  # around the frames
_MOST_LOCALS = 30  # lines between the last frame and its error
_MOST_ERRORS = 200  # of a text that says nothing else
_MOST_TESTS = 20  # whose names, messages and code are taken for words
#: Between two traces: what follows is the stack of another error, goroutine or thread.
_BORDER = re.compile(
    r"Traceback \(most recent call last\)|Caused by: |Suppressed: |^goroutine \d+ \[|^\W{0,4}thread '"
    r"|During handling of|direct cause of the following|End of inner exception|Next \S+Exception"
    r"|^_{3,} .* _{3,}$|^={3,} "
)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A frame, and the line on which it stands."""

    form: Form
    frame: Frame
    at: int
    span: tuple[int, int]  #: of the line
    first: int  #: the line above, when it is that which names the function


def read_traces(text: str) -> tuple[Trace, ...]:
    """All stack traces of a text, in the order in which they stand there."""
    return traces_of(lines_of(text).lines)


def traces_of(lines: Sequence[str]) -> tuple[Trace, ...]:
    """All stack traces of lines, as far as they are read."""
    return tuple(_trace(run, lines) for run in _runs(lines))


@dataclass(frozen=True, slots=True, kw_only=True)
class Parted:
    """A text without its traces; what traces and tests show besides frames: messages and code; and the frames."""

    text: str
    shown: str
    frames: str


def without_traces(
    text: str, traces: Sequence[Trace], failed: Failed = NOTHING_FAILED, outputs: Sequence[range] = ()
) -> Parted:
    """Take a text apart. One that is nothing but traces and failing tests says what they say of their errors.

    outputs: lines that test runners printed, from 1; what is neither trace nor test in them is in none of the parts, as
    the values of local variables are.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    inside = {n for trace in traces for n in range(trace.first_line - 1, trace.last_line)}
    frames = {n - 1 for trace in traces for n in trace.frame_lines}
    spent = {n - 1 for n in failed.spent} | {n - 1 for output in outputs for n in output}
    outside = "\n".join(line for n, line in enumerate(lines) if n not in inside and n not in spent)
    said = [(one.error, one.message) for one in traces] + [(one.error, one.message) for one in failed.tests]
    own = inside - frames - {n - 1 for n in failed.spent} - _locals(lines, traces)
    tests = [part for test in failed.tests[:_MOST_TESTS] for part in (test.name, test.message, *test.code)]
    return Parted(
        text=outside
        if outside.strip()
        else "\n".join(": ".join(filter(None, one)) for one in said[:_MOST_ERRORS] if any(one)),
        shown="\n".join([*tests, *(lines[n] for n in sorted(own))]),
        frames=re.sub(_LIKE_PATH, " ", "\n".join(lines[n] for n in sorted(frames))),
    )


def _locals(lines: Sequence[str], traces: Sequence[Trace]) -> set[int]:
    """The lines inside traces that print local variables."""
    shown = (n for one in traces if one.language == "python" for n in range(one.first_line - 1, one.last_line))
    return {n for n in shown if LOCAL.search(lines[n])}


def _runs(lines: Sequence[str]) -> Iterator[list[_Seen]]:
    """Frames that stand together: of one language, with no border and no more than a few other lines between them."""
    run: list[_Seen] = []
    for seen in _frames(lines):
        if len(run) == _MAX_FRAMES or (run and not _continues(run[-1], seen, lines)):
            if _is_trace(run):
                yield run
            run = []
        run.append(seen)
    if _is_trace(run):
        yield run


def _is_trace(run: list[_Seen]) -> bool:
    return len(run) > 1 or (len(run) == 1 and run[0].form.alone)


def _continues(last: _Seen, seen: _Seen, lines: Sequence[str]) -> bool:
    if seen.form.language != last.form.language:
        return {seen.form.language, last.form.language} == {"python", "pytest"} and seen.at - last.at <= last.form.gap
    between = lines[last.at + 1 : seen.at + 1]
    return len(between) <= last.form.gap + 1 and not any(_BORDER.search(line) for line in between)


def _frames(lines: Sequence[str]) -> Iterator[_Seen]:
    whole = "\n".join(lines)
    used = [form for form in FORMS if form.hint in whole]
    for at, line in enumerate(lines):
        if line:
            yield from _frames_of_line(at, line, lines[at - 1] if at else "", used)


def _frames_of_line(at: int, line: str, above: str, forms: Sequence[Form]) -> list[_Seen]:
    """The frames of a line by the first form that fits; some loggers print a whole trace on one line."""
    for form in forms:
        if form.hint in line and (found := list(compiled(form.pattern, form.ending).finditer(line))):
            named = compiled(form.above).search(above) if form.above else None
            first = at - 1 if named else at
            return [_Seen(form, _frame(match, named), at, match.span(), first) for match in found]
    return []


def _frame(found: re.Match[str], named: re.Match[str] | None) -> Frame:
    groups = found.groupdict()
    printed = (named["function"] if named else groups.get("function")) or ""
    function, inside = plain_name(printed)
    owner = groups.get("owner") or inside
    path = _path(groups.get("path") or "", groups.get("file") or "", owner)
    origin = origin_of(path, owner, printed)
    return Frame(path=path, line=int(groups.get("line") or 0), function=function, owner=owner, origin=origin)


def _path(written: str, file: str, owner: str) -> str:
    """The path as written; where only a file's name is printed beside its type, the folders of the type's package."""
    if file:
        folders = re.sub(r"\.?[^.]*$", "", owner).replace(".", "/")
        return f"{folders}/{file}".lstrip("/") if "." in file else ""
    written = re.sub(
        r"^(?:webpack(?:-internal)?|file|app|resource)://(?:/(?=[A-Za-z]:))?|^https?://[^/]{1,200}", "", written
    )
    return written.split("?", 1)[0]


def _trace(run: list[_Seen], lines: Sequence[str]) -> Trace:
    form, first, last = run[0].form, run[0].at, run[-1].at
    frames = _around_callees(run)
    above = range(first - 1, max(first - 1 - _LINES_OF_ERROR, -1), -1)
    after = range(last + 1, min(last + 1 + _LINES_OF_ERROR, len(lines)))
    below = list(takewhile(lambda at: not _BORDER.search(lines[at]), after))
    around = [first, *above] if form.innermost_first else [*below, last, *_telling_above(last, lines)]
    at, error, message = _error(around, _without_frames(run, lines))
    return Trace(
        language="python" if form.language == "pytest" else form.language,
        frames=tuple(frames if form.innermost_first else reversed(frames)),
        error=error,
        message=message,
        first_line=_with_heading(min(run[0].first, at), lines) + 1,
        last_line=max(last, at) + 1,
        frame_lines=tuple(sorted({line + 1 for seen in run for line in (seen.first, seen.at)})),
    )


def _telling_above(last: int, lines: Sequence[str]) -> list[int]:
    """The nearest lines above the last frame that may speak of the error: pytest puts local variables between."""
    near = range(last - 1, max(last - _MOST_LOCALS, -1), -1)
    return [at for at in near if lines[at].strip() and not LOCAL.search(lines[at])][: _LINES_OF_ERROR - 1]


def _around_callees(run: list[_Seen]) -> list[Frame]:
    """The frames, each with the function around its line: where callees are printed, that is the next frame's."""
    if not any(seen.form.names_callee for seen in run):
        return [seen.frame for seen in run]
    frames = []
    for seen, outer in zip(run, [*run[1:], None], strict=True):
        named = outer.frame if outer is not None and outer.form.names_callee else Frame()
        frames.append(replace(seen.frame, function=named.function, owner=named.owner))
    return frames


def _with_heading(first: int, lines: Sequence[str]) -> int:
    while first > 0 and _HEADING.search(lines[first - 1]):
        first -= 1
    return first


def _without_frames(run: list[_Seen], lines: Sequence[str]) -> Callable[[int], str]:
    """What a line says besides the frames on it."""
    spans = {(seen.at, seen.span) for seen in run if not seen.form.says_error}

    def said(at: int) -> str:
        line = lines[at]
        for start, end in sorted((span for n, span in spans if n == at), reverse=True):
            line = line[:start] + line[end:]
        return line

    return said


def _error(around: Sequence[int], said: Callable[[int], str]) -> tuple[int, str, str]:
    """Where the nearest error line stands, its class and message; the first of the lines when none of them is one.

    pytest says the class alone beside the last frame, and both further up.
    """
    found = [(at, *error) for at in around if (error := error_in(said(at)))]
    if not found:
        return around[0], "", ""
    same = [one for one in found if one[1] == found[0][1] and one[2]]
    return (same or found)[0]
