"""How does each test runner name what failed? One table of line patterns; nothing here knows a whole text."""

from __future__ import annotations

from callsite.values import dataclass

#: What a line of a form tells. `test`: a test that failed. `heading`: the same, and its report follows. `numbered`: one
#: of a numbered list, which other lines have to confirm. `list`: that such a list follows. `file`: whose tests follow.
#: `folder`: whose tests were named just before. `place`: where the test failed that is named just before, or next.
#: `ahead`: where the next one failed. `code`: a line of the test. `xml`: tests and failures, as elements.
GIVES = ("test", "heading", "numbered", "list", "file", "folder", "place", "ahead", "code", "xml")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerForm:
    """One way to name a test. Groups of a pattern: name, owner, title (suites and test), path, line, message, code."""

    runner: str
    gives: str
    hint: str  #: every line of this form contains it
    pattern: str  #: with the parts of `forms`
    ending: str = ""  #: of paths, as a pattern
    between: str = ""  #: what stands between the suites of a title, as a pattern
    needs_file: bool = False  #: whether it says nothing unless a `file` of the same runner came before


_PYTHON_NAMES = r"(?:::(?P<title>[\w.]+(?:::[\w.]+)*)(?:\[[^\n]{0,400}?\])?)?"
_SCRIPT = r"\.(?:[cm]?[jt]sx?|vue|svelte)"
_TIME = r"(?: \(?[\d.,]+ ?m?s\)?)?"
_JVM_NAME = r"(?P<name>[\w$]{1,200})"
_JVM_TYPE = r"(?P<owner>(?:[\w$]{1,100}\.){0,20}[A-Z][\w$]{0,200})"
_MESSAGE = r"(?P<message>[^\n]{1,2000})"

#: The first that fits a line is taken.
RUNNER_FORMS = (
    RunnerForm(
        runner="pytest",
        gives="test",
        hint=".py",
        pattern=r"(?:^|[\s>\]|])(?:FAILED|ERROR|SUBFAIL(?:ED)?[^\n]{0,200}?) {path}"
        + _PYTHON_NAMES
        + rf"(?: - {_MESSAGE})?\s*$",
        ending=r"\.py",
        between="::",
    ),
    RunnerForm(
        runner="pytest",
        gives="test",
        hint=".py::",
        pattern=r"{path}" + _PYTHON_NAMES + r" (?:FAILED|ERROR)(?:\s+\[ *\d{1,3}%\])?\s*$",
        ending=r"\.py",
        between="::",
    ),
    RunnerForm(
        runner="pytest",
        gives="heading",
        hint="___",
        pattern=r"{quote}_{3,} ERROR collecting {path} _{3,}\s*$",
        ending=r"\.py",
    ),
    RunnerForm(
        runner="pytest",
        gives="heading",
        hint="___",
        pattern=r"{quote}_{3,} (?:ERROR at \w+ of )?(?=[^\n]{0,300}[Tt]est)(?P<title>[A-Za-z_][\w.]{0,300})"
        r"(?:[ \[(][^\n]{0,400}?)? _{3,}\s*$",
        between=r"\.",
    ),
    RunnerForm(
        runner="unittest",
        gives="test",
        hint=": ",
        pattern=r"{quote}(?:FAIL|ERROR): (?P<name>\w{1,200}) \((?P<owner>[\w.]{1,300})\)",
    ),
    RunnerForm(
        runner="unittest",
        gives="test",
        hint=" ... ",
        pattern=r"{quote}(?P<name>\w{1,200}) \((?P<owner>[\w.]{1,300})\) \.\.\. (?:FAIL|ERROR)\s*$",
    ),
    RunnerForm(
        runner="vitest",
        gives="test",
        hint=" > ",
        pattern=rf"^\s*(?:FAIL|[×✗✕]) +(?:\|[^|\n]{{1,100}}\| )?{{path}} > (?P<title>[^\n]{{1,500}}?){_TIME}\s*$",
        ending=_SCRIPT,
        between=" > ",
    ),
    RunnerForm(
        runner="jest",
        gives="file",
        hint="FAIL ",
        pattern=r"(?:^|\s)FAIL +(?:[\w@/.-]{1,100} )?{path}(?: \([^)\n]{1,40}\)| \[ [^\n]{1,400} \])?\s*$",
        ending=_SCRIPT,
    ),
    RunnerForm(
        runner="vitest",
        gives="file",
        hint=" failed",
        pattern=r"^\s*❯ {path} \(\d+ tests?[^)\n]{1,80}failed[^)\n]{0,80}\)",
        ending=_SCRIPT,
    ),
    RunnerForm(
        runner="jest",
        gives="heading",
        hint="● ",
        pattern=r"^\s*● (?P<title>[^\n]{1,400} › [^\n]{1,400}?)\s*$",
        between=" › ",
    ),
    RunnerForm(
        runner="jest",
        gives="heading",
        hint="● ",
        pattern=r"^\s*● (?!Test suite failed|Console|Validation|Deprecation|Cannot log)(?P<title>[^\n]{1,400}?)\s*$",
        needs_file=True,
    ),
    RunnerForm(
        runner="jest",
        gives="test",
        hint="s)",
        pattern=r"^\s*[✕✗✖×] (?P<title>[^\n]{1,400}?) \(?[\d.,]+ ?m?s\)?\s*$",
        between=" [›>] ",
    ),
    RunnerForm(
        runner="jest",
        gives="test",
        hint=" ",
        pattern=r"^\s*[✕✗×] (?P<title>[^\n]{1,400}?)" + _TIME + r"\s*$",
        between=" [›>] ",
        needs_file=True,
    ),
    RunnerForm(runner="jest", gives="ahead", hint="test at ", pattern=r"^\s*test at {path}:{line}:{column}\s*$"),
    RunnerForm(runner="mocha", gives="list", hint=" failing", pattern=r"^\s*\d+ failing\s*$"),
    RunnerForm(
        runner="phpunit",
        gives="test",
        hint="::",
        pattern=r"{quote}\d{1,5}\) (?P<owner>[A-Z][\w\\]{0,200})::(?P<name>\w{1,200})"
        r"(?: with data set [^\n]{0,400}|#[^\n]{0,100})?\s*$",
    ),
    RunnerForm(
        runner="exunit",
        gives="test",
        hint=") ",
        pattern=r"{quote}\d{1,5}\) (?:test|doctest|property) (?P<name>[^\n]{1,400})"
        r" \((?P<owner>[A-Z][\w.]{0,200})\)\s*$",
    ),
    RunnerForm(
        runner="exunit",
        gives="place",
        hint=".exs:",
        pattern=r"{quote}{path}:{line}\s*$",
        ending=r"\.exs",
    ),
    RunnerForm(
        runner="nunit",
        gives="test",
        hint=") Failed : ",
        pattern=rf"{{quote}}\d{{1,5}}\) Failed : {_JVM_TYPE}\.{_JVM_NAME}(?:\([^\n]{{0,400}}\))?\s*$",
    ),
    RunnerForm(
        runner="numbered",
        gives="numbered",
        hint=") ",
        pattern=r"{quote}\d{1,5}\) (?P<title>[^\n]{1,400}?)\s*$",
    ),
    RunnerForm(
        runner="minitest",
        gives="test",
        hint="#",
        pattern=r"{quote}(?P<owner>[A-Z][\w:]{0,200})#(?P<name>test_[^\[\n]{1,300}?)"
        r" \[(?P<path>[^\[\]:\s]{1,400}\.rb):{line}\]",
    ),
    RunnerForm(
        runner="rspec",
        gives="test",
        hint="rspec ",
        pattern=r"(?:^|\s)rspec '?{path}(?::{line}|\[[\d:,]{1,40}\])'? # (?P<title>[^\n]{1,400}?)\s*$",
        ending=r"\.rb",
    ),
    RunnerForm(runner="rspec", gives="code", hint="Failure/Error: ", pattern=r"Failure/Error: (?P<code>[^\n]{1,2000})"),
    RunnerForm(
        runner="go",
        gives="test",
        hint="FAIL: ",
        pattern=r"--- FAIL: (?P<name>(?:Test|Fuzz|Example|Benchmark)\w{0,200})(?:/\S{0,400})? \([\d.]{1,12}s\)",
    ),
    RunnerForm(
        runner="go",
        gives="test",
        hint="FAIL: ",
        pattern=r"=== FAIL: (?P<owner>\S{1,300}) (?P<name>(?:Test|Fuzz|Example)\w{0,200})(?:/\S{0,400})?"
        r" \([\d.]{1,12}s\)",
    ),
    RunnerForm(
        runner="go",
        gives="place",
        hint="_test.go:",
        pattern=rf"^[\s|>]*{{path}}:{{line}}: {_MESSAGE}$",
        ending=r"_test\.go",
    ),
    RunnerForm(
        runner="go", gives="folder", hint="FAIL", pattern=r"^FAIL\s+(?P<path>[\w.\-~/]{1,300}) *\s(?:[\d.]{1,12}s|\[)"
    ),
    RunnerForm(
        runner="cargo",
        gives="test",
        hint=" ... FAILED",
        pattern=r"(?:^|\s)test {path} - (?P<title>[\w:<>]{1,300})? ?\(line {line}\)[^\n]{0,60} \.\.\. FAILED\s*$",
        ending=r"\.rs",
        between="::",
    ),
    RunnerForm(
        runner="cargo",
        gives="test",
        hint=" ... FAILED",
        pattern=r"(?:^|\s)test (?P<title>[\w:]{1,300})(?: - should panic)? \.\.\. FAILED\s*$",
        between="::",
    ),
    RunnerForm(
        runner="cargo",
        gives="heading",
        hint=" stdout ----",
        pattern=r"{quote}---- (?P<title>[\w:]{1,300}) stdout ----\s*$",
        between="::",
    ),
    RunnerForm(
        runner="cargo",
        gives="test",
        hint="FAIL [",
        pattern=r"\bFAIL \[ *[\d.]{1,12}s\] (?:\([^)\n]{1,20}\) )?(?P<crate>[\w:-]{1,100}) (?P<title>[\w:]{1,300})\s*$",
        between="::",
    ),
    RunnerForm(
        runner="junit",
        gives="test",
        hint="<<< ",
        pattern=rf"(?:^|\s){_JVM_TYPE}\.{_JVM_NAME}(?:\([^\n]{{0,200}}?\))?(?:\[[^\n]{{0,200}}?\])?"
        r" +(?:--+ )?Time elapsed: [\d.,]{1,12} s(?:ec)? +<<< (?:FAILURE|ERROR)!",
    ),
    RunnerForm(
        runner="junit",
        gives="test",
        hint="<<< ",
        pattern=rf"(?:^|\s){_JVM_NAME}\((?P<owner>[\w.$]{{1,300}})\) +(?:--+ )?Time elapsed: [\d.,]{{1,12}} s(?:ec)?"
        r" +<<< (?:FAILURE|ERROR)!",
    ),
    RunnerForm(
        runner="junit",
        gives="test",
        hint="<<< ",
        pattern=r"Tests run: [^\n]{1,200}<<< (?:FAILURE|ERROR)!(?: --?)? in (?P<owner>[\w.$]{1,300})",
    ),
    RunnerForm(
        runner="junit",
        gives="test",
        hint=":",
        pattern=rf"(?:^|ERROR\]|:) +{_JVM_TYPE}\.{_JVM_NAME}:{{line}}"
        rf"(?:->[\w$.]{{1,200}}:\d{{1,6}}|->[\w$.]{{1,200}}){{0,20}}(?: (?:» )?{_MESSAGE})?$",
    ),
    RunnerForm(
        runner="junit",
        gives="test",
        hint="): ",
        pattern=rf"^(?:Failed tests:|Tests in error:)? +{_JVM_NAME}\((?P<owner>[\w.$]{{1,300}})\): {_MESSAGE}$",
    ),
    RunnerForm(
        runner="junit",
        gives="heading",
        hint=" FAILED",
        pattern=r"^\s*(?P<title>[\w.$]{1,200}(?: > [^>\n]{1,200}?){1,6}?)(?:\([^)\n]{0,200}\))?"
        r"(?:\[\d{1,5}\])? FAILED\s*$",
        between=" > ",
    ),
    RunnerForm(
        runner="junit xml",
        gives="xml",
        hint="<",
        pattern=r"<(?P<tag>testcase|failure|error)\b(?P<attributes>[^<>]{0,4000})>(?P<message>[^<>]{0,2000})",
    ),
    RunnerForm(
        runner="xunit",
        gives="test",
        hint=" [FAIL]",
        pattern=rf"(?:^|\s){_JVM_TYPE}\.{_JVM_NAME}(?:<[^\n]{{0,200}}>)?(?:\([^\n]{{0,2000}}\))? \[FAIL\]\s*$",
    ),
    RunnerForm(
        runner="xunit",
        gives="test",
        hint="s]",
        pattern=r"^\s*(?:Failed|X) (?P<title>[A-Za-z_][\w.+]{0,300})(?:\([^\n]{0,2000}\))?"
        r" \[(?:< )?[\d.,]{1,10} ?m?s\]\s*$",
        between=r"\.",
    ),
    RunnerForm(
        runner="gtest",
        gives="test",
        hint="[  FAILED  ] ",
        pattern=r"\[  FAILED  \] (?P<owner>[A-Za-z_][\w/]{0,200})\.(?P<name>\w{1,200})(?:/\w{1,100})?"
        r"(?:, where [^\n]{0,2000}| \(\d{1,9} ms\))?\s*$",
    ),
    RunnerForm(
        runner="gtest",
        gives="ahead",
        hint="ailure",
        pattern=r"{quote}{path}[:(]{line}\)?: (?:Failure|error)\s*$",
        ending=r"\.\w{1,4}",
    ),
    RunnerForm(
        runner="xctest",
        gives="test",
        hint=": error: ",
        pattern=r"{path}:{line}: error: (?:-\[)?(?P<owner>[A-Za-z_][\w.]{0,200})[. ](?P<name>test\w{0,200})\]? : "
        + _MESSAGE,
        ending=r"\.(?:swift|mm?)",
    ),
    RunnerForm(
        runner="tap",
        gives="test",
        hint="not ok ",
        pattern=r"{quote}not ok \d{1,6} - "
        r"(?P<name>[^\n#]{1,400}?)\s*(?:#[^\n]*)?$",
    ),
    RunnerForm(runner="tap", gives="place", hint="location: '", pattern=r"^\s*location: '{path}:{line}:{column}'\s*$"),
)
