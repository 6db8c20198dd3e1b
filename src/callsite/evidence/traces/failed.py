"""Which tests does the output of a runner name as failed, and what does it show of them? One pass; never fails."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence

from callsite.evidence.traces.errors import error_in
from callsite.evidence.traces.forms import compiled
from callsite.evidence.traces.runners import RUNNER_FORMS, RunnerForm
from callsite.evidence.traces.values import FailedTest, Trace
from callsite.values import dataclass, replace

MAX_TESTS = 2_000  # of a text; further ones are only counted
_MAX_LINE = 5_000  # characters; runners print shorter ones, but for XML without line ends
_ALIKE = 20  # tests of one name that a further one is compared with
_MAX_REPORT = 400  # lines of the report of one test
_MAX_CODE = 200  # lines of a test
_MAX_TITLE = 8  # lines that mocha takes for suites and test
_CONFIRMING = 4  # lines in which a numbered title has to be confirmed
_END_OF_SOURCE = re.compile(r"^[>|\s]*\S{1,400}:\d{1,8}:(?:\s|$)|^(?:_ ){3,}|^_{3,} |^={3,} |^-{3,} ")
_SOURCE = re.compile(r"^(?:    |>   (?!    (?:available fixtures|use 'pytest)))(?P<code>.*)")
_SECTION = re.compile(r"^={3,} .{1,200} ={3,}$")
_CODE_FRAME = re.compile(r"^\s*>?\s*\d{1,6}\s?\| ?(?P<code>.*)")
_END_OF_CODE_FRAMES = re.compile(r"^\s*(?:● |at |FAIL |❯ )")
_ATTRIBUTE = re.compile(r"\b(\w{1,40})\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
#: What pytest prints of local variables, and the frame that rich draws around them.
LOCAL = re.compile(r"^(?:[>|] ?)*[A-Za-z_]\w{0,200} {0,40}= |[│|] (?:╭|│ |╰)")
_TESTS_OUTERMOST = ("python", "javascript", "perl", "php")  # where the outermost frame is that of the test
_FAMILIES = {"vitest": "jest"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The tests that failed, in the order in which a text names them."""

    tests: tuple[FailedTest, ...] = ()
    spent: frozenset[int] = frozenset()  #: lines, from 1, of which nothing is left to say: names, and code of the tests
    problems: tuple[str, ...] = ()


NOTHING_FAILED = Failed()


def read_failed(lines: Sequence[str], traces: Sequence[Trace] = ()) -> Failed:
    """All failing tests that lines name, each once; what they don't say of a test's place, its stack trace may."""
    reader = _Reader(lines)
    whole = "\n".join(lines)
    used = [form for form in RUNNER_FORMS if form.hint in whole]
    for at, line in enumerate(lines):
        for form in used if line and len(line) <= _MAX_LINE else ():
            found = form.hint in line and compiled(form.pattern, form.ending).search(line)
            if found and reader.read(at, form, found):
                break
    tests = _named(reader.tests)
    problems = (f"{reader.n_left_out:,} more failing tests were not read",) if reader.n_left_out else ()
    sections = [at + 1 for at, line in enumerate(lines) if _SECTION.search(line)]
    return Failed(tests=_placed(tests, traces, sections), spent=frozenset(reader.spent), problems=problems)


class _Reader:
    """What is known of the tests while the lines go by."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.tests: list[FailedTest] = []
        self.n_left_out = 0
        self.spent: set[int] = set()
        self._by_name: dict[str, list[int]] = defaultdict(list)
        self._files: dict[str, str] = {}  # runner → the file that it speaks of
        self._lists: set[str] = set()  # runners whose list of failures has begun
        self._ahead: dict[str, FailedTest] = {}  # runner → what was said before the name
        self._current: int | None = None  # the test that the lines speak of
        self._n_before_folder = 0
        self._case: FailedTest | None = None
        self._reported: set[int] = set()  # tests whose report was read
        self._read_to = 0  # the line up to which reports were read

    def read(self, at: int, form: RunnerForm, found: re.Match[str]) -> bool:
        """Take in a line; whether it said something."""
        said = {name: text.strip() for name, text in found.groupdict().items() if text}
        runner = _FAMILIES.get(form.runner, form.runner)
        if form.needs_file and runner not in self._files:
            return False
        if form.gives in ("test", "heading"):
            self._note(_test(form, said, file=self._files.get(runner, ""), at=at))
            if form.gives == "heading" and self._current is not None:
                self._read_report(at, self._current)
        elif form.gives == "numbered":
            return self._read_numbered(at, said["title"])
        elif form.gives == "file":
            self._files[runner] = said.get("path", "")
        elif form.gives == "list":
            self._lists.add(runner)
        elif form.gives == "folder":
            self._in_folder(runner, said["path"])
        elif form.gives == "code":
            self._tell(code=(said["code"],))
        elif form.gives == "xml":
            self._read_elements(at, form)
        else:
            self._read_place(_test(form, said, file="", at=at), is_ahead=form.gives == "ahead")
        return True

    def _note(self, test: FailedTest) -> None:
        """One test more; if it is known, what is new of it. One of which nothing is left to say is none."""
        if not (test.name or test.path or test.owner):
            return
        self.spent.add(test.first_line)
        if ahead := self._ahead.pop(test.runner, None):
            test = _merged(test, ahead)
        for place in self._by_name[test.name][-_ALIKE:]:
            if _is_same(self.tests[place], test):
                self.tests[place] = _merged(self.tests[place], test)
                self._current = place
                return
        self._current = len(self.tests) if len(self.tests) < MAX_TESTS else None
        if self._current is None:
            self.n_left_out += 1
            return
        self._by_name[test.name].append(self._current)
        self.tests.append(test)

    def _tell(
        self, *, path: str = "", line: int = 0, error: str = "", message: str = "", code: tuple[str, ...] = ()
    ) -> None:
        """What is said of the current test, as far as nothing was said of it before."""
        if self._current is not None:
            test = self.tests[self._current]
            self.tests[self._current] = replace(
                test,
                path=test.path or path,
                line=test.line or line,
                error=test.error or error,
                message=test.message or message,
                code=test.code or code,
            )

    def _read_place(self, place: FailedTest, *, is_ahead: bool) -> None:
        test = self.tests[self._current] if self._current is not None else None
        if is_ahead or test is None or test.runner != place.runner or test.line:
            self._ahead.setdefault(place.runner, place)
        else:
            self._tell(path=place.path, line=place.line, message=place.message, error=place.error)

    def _in_folder(self, runner: str, folder: str) -> None:
        """Go names the package after its tests."""
        for n, test in enumerate(self.tests[self._n_before_folder :], self._n_before_folder):
            if test.runner == runner and not test.owner:
                path = f"{folder}/{test.path}" if test.path and "/" not in test.path else test.path
                self.tests[n] = replace(test, owner=folder, path=path)
        self._n_before_folder = len(self.tests)

    def _read_report(self, at: int, test: int) -> None:
        """The code that the report of a test shows: pytest its source, jest some lines of it with their numbers."""
        if test not in self._reported:  # its trace stands here, not where it was named before
            self._reported.add(test)
            self.tests[test] = replace(self.tests[test], first_line=at + 1)
        if at < self._read_to:
            return
        is_source = "___" in self.lines[at]
        end, source = (_END_OF_SOURCE, _SOURCE) if is_source else (_END_OF_CODE_FRAMES, _CODE_FRAME)
        code: list[str] = []
        for n in range(at + 1, min(at + 1 + _MAX_REPORT, len(self.lines))):
            self._read_to, line = n, self.lines[n]
            if end.search(line):
                break
            if shown := source.search(line):
                code.append(shown["code"])
            if shown or (is_source and LOCAL.search(line)):
                self.spent.add(n + 1)
        self._tell(code=tuple(code[:_MAX_CODE]))

    def _read_numbered(self, at: int, title: str) -> bool:
        following = self.lines[at + 1 : at + 1 + _MAX_TITLE]
        if any("Failure/Error:" in line for line in following[:_CONFIRMING]):
            self._note(FailedTest(runner="rspec", name=title, first_line=at + 1))
            return True
        if "mocha" not in self._lists:
            return False
        parts = [title]
        for line in following:
            if parts[-1].endswith(":") or not line.strip():
                break
            parts.append(line.strip())
        if not parts[-1].endswith(":"):
            return False
        *suites, name = parts
        self._note(FailedTest(runner="mocha", name=name[:-1], owner=" ".join(suites), first_line=at + 1))
        return True

    def _read_elements(self, at: int, form: RunnerForm) -> None:
        """`testcase` elements in which there is a `failure` or an `error`."""
        for found in compiled(form.pattern, form.ending).finditer(self.lines[at]):
            attributes = {name: _plain(one or other) for name, one, other in _ATTRIBUTE.findall(found["attributes"])}
            if found["tag"] == "testcase":
                is_empty = found["attributes"].endswith("/")
                self._case = None if is_empty else _of_case(attributes, at)
            elif self._case is not None:
                message = attributes.get("message") or _plain(found["message"]).strip()
                error, message = _error_of(message)
                self._note(replace(self._case, error=attributes.get("type") or error, message=message))
                self._case = None


def _test(form: RunnerForm, said: Mapping[str, str], *, file: str, at: int) -> FailedTest:
    owner, name = said.get("owner", ""), said.get("name", "")
    if title := said.get("title", ""):
        *suites, name = re.split(form.between, title) if form.between else [title]
        owner = owner or " ".join(suites) if not form.between or " " in form.between else ".".join(suites)
    if owner.endswith(f".{name}") and form.runner == "unittest":
        owner = owner[: -len(name) - 1]
    error, message = _error_of(said.get("message", ""))
    return FailedTest(
        runner=form.runner,
        name=name,
        owner=owner.replace("\\", "."),
        path=said.get("path", file),
        line=int(said.get("line", 0)),
        error=error,
        message=message,
        first_line=at + 1,
    )


def _error_of(message: str) -> tuple[str, str]:
    """The class of the error that a message begins with, and the rest of it."""
    error, rest = (message and error_in(message)) or ("", "")
    return (error, rest) if error and message.startswith(error) else ("", message)


def _of_case(attributes: Mapping[str, str], at: int) -> FailedTest:
    line = attributes.get("line", "")
    return FailedTest(
        runner="junit xml",
        name=re.sub(r"[(\[].*", "", attributes.get("name", "")).strip() or attributes.get("name", ""),
        owner=attributes.get("classname", ""),
        path=attributes.get("file", ""),
        line=int(line) if line.isdecimal() and len(line) < 9 else 0,
        first_line=at + 1,
    )


def _plain(text: str) -> str:
    if "&" not in text:
        return text
    from html import unescape

    return unescape(text)


def _is_same(one: FailedTest, other: FailedTest) -> bool:
    """Whether two tests of one name may be the same: what one says of it the other says too, or says nothing."""
    return _is_end(one.owner, other.owner) and _is_end(one.path, other.path)


def _is_end(one: str, other: str) -> bool:
    return not one or not other or one.endswith(other) or other.endswith(one)


def _merged(one: FailedTest, other: FailedTest) -> FailedTest:
    return replace(
        one,
        owner=max(one.owner, other.owner, key=len),
        path=max(one.path, other.path, key=len),
        line=one.line or other.line,
        error=one.error or other.error,
        message=max(one.message, other.message, key=len),
        code=one.code or other.code,
    )


def _named(tests: Sequence[FailedTest]) -> list[FailedTest]:
    """Without those that name only a file or a type of which a test is named."""
    files = {test.path for test in tests if test.name}
    owners = {test.owner for test in tests if test.name}
    return [test for test in tests if test.name or (test.path not in files and test.owner not in owners)]


def _placed(tests: Sequence[FailedTest], traces: Sequence[Trace], sections: Sequence[int]) -> tuple[FailedTest, ...]:
    """The tests with the places that their traces give: of the frame that bears the name, or the outermost."""
    placed, order, n = [], sorted(tests, key=lambda test: test.first_line), 0
    for i, test in enumerate(order):
        end = order[i + 1].first_line if i + 1 < len(order) else None
        section = bisect_right(sections, test.first_line)
        if section < len(sections) and (end is None or sections[section] < end):
            end = sections[section]
        while n < len(traces) and traces[n].frame_lines[0] < test.first_line:
            n += 1
        trace = traces[n] if n < len(traces) and (end is None or traces[n].frame_lines[0] < end) else None
        placed.append(_with_trace(test, trace) if trace else test)
    return tuple(placed)


def _with_trace(test: FailedTest, trace: Trace) -> FailedTest:
    frames = [frame for frame in trace.frames if frame.path and frame.origin == "project"]
    own = [frame for frame in frames if frame.function == test.name]
    if not own and trace.language in _TESTS_OUTERMOST:
        own = [frame for frame in frames if _is_end(frame.path, test.path)]
    if own and not test.line:
        test = replace(test, path=test.path or own[-1].path, line=own[-1].line)
    is_cut = test.message.endswith("...") or not test.message
    return replace(test, error=test.error or trace.error, message=(is_cut and trace.message) or test.message)
