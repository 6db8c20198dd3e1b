"""How does each runtime print a frame? One table of line patterns; nothing here knows a whole text.

A pattern is searched in a line, so that what a log, a mail or a quotation puts in front of it does no harm. Words in
braces stand for the parts below, whose repetitions are bounded or cannot meet what follows them: text may be hostile.
"""

from __future__ import annotations

import re
from functools import cache

from callsite.values import dataclass

_PARTS = {
    "{quote}": r"^[>|\s]*",  # of a mail, an exception group, a table
    "{where}": r"(?P<path>(?:https?|file|webpack(?:-internal)?|resource|app|node)://?/?[^\s()]{0,400}?"
    r"|(?:node:|[A-Za-z]:[\\/])?[^\s:()\"'<>|*?]{1,400})",
    "{path}": r"(?P<path>(?<![^\s:()\"'<>|*?])(?:[A-Za-z]:[\\/])?[^\s:()\"'<>|*?]{1,400}ENDING)",  # from its border on
    "{line}": r"(?P<line>\d{1,8})",
    "{column}": r"\d{1,8}",
    "{name}": r"(?P<function>[\w.<>]{1,200})",
    "{arguments}": r"(?:\((?:[^()]|\([^()]*\)){0,2000}\))",
    "{dotnet}": r"(?<![\w.+`<>|\[\],$])(?P<function>[\w.+`<>|\[\],$]{1,300})\([^()\n]{0,1000}\)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One way to print a frame. Groups of a pattern: path, line, function; for the JVM also owner and file."""

    language: str
    hint: str  #: every line of this form contains it
    pattern: str
    ending: str = ""  #: of paths, as a pattern
    innermost_first: bool = True
    gap: int = 3  #: lines of other text that may stand between two frames of one trace
    above: str = ""  #: finds the function in the line above, where it is printed there
    alone: bool = True  #: whether one such line is a trace; else it takes two
    says_error: bool = False  #: whether the error is inside what the pattern finds
    names_callee: bool = False  #: what is printed is the function that was called there, not the one around the line


@cache
def compiled(pattern: str, ending: str = "") -> re.Pattern[str]:
    """A pattern with its parts filled in; made when a line first needs it, since all together take 30 ms."""
    for name, part in _PARTS.items():
        pattern = pattern.replace(name, part)
    return re.compile(pattern.replace("ENDING", ending))


_GO_CALL = (
    r"{quote}(?:created by )?(?P<function>[\w.\-~%@/]{0,300}\.[\w.()*\[\]…·{}-]{1,200}?|panic){arguments}?"
    r"(?: in goroutine \d+)?\s*$"
)
_RUST_CALL = r"{quote}\d{1,4}:\s+(?:0x[0-9a-f]+ - )?(?P<function>[^\s].{0,400}?)\s*$"
_JVM = (
    r"\bat (?:[\w.@$-]{1,100}/{1,2}){0,3}(?P<owner>[\w.$]{1,300})\.(?P<function>[\w$<>-]{1,200})"
    r"\((?P<file>[\w$-]{1,200}\.(?:java|kt|kts|scala|groovy|clj)|Native Method|Unknown Source|SourceFile)(?::{line})?\)"
)
_NATIVE_CALL = r"(?:0x[0-9a-f]+ in )?(?P<function>[\w:~<>$,*& ]{1,300}?)(?: ?\([^\n]{0,1000}?\))?(?: const)?"
_LUA_CALL = r"(?:(?:upvalue|local|global|method|field|function|metamethod) )?['<]?(?P<function>[\w.:]{0,200})"
_DOTNET_NAMES = (  # no file, so nothing but its shape tells it from prose
    r"\bat (?P<function>[A-Za-z_][\w+`<>|\[\],$]{0,200}(?:\.{1,2}[\w+`<>|\[\],$]{1,200}){1,20})"
    r"\((?:[\w.`\[\]<>,&*+ ]{0,2000} \w{1,80})?\)(?! in |:)"
)

#: The first that fits a line is taken, so those that ask for an ending of the path stand before those that don't.
FORMS = (
    Form(
        language="python",
        hint='", line ',
        pattern=r'File "(?P<path>[^"\n]{1,400})", line {line}(?:, in {name})?',
        innermost_first=False,
        gap=8,
    ),
    Form(
        language="python",
        hint="File ",
        pattern=r"File {path}:{line}, in {name}",
        ending=r"\.py",
        innermost_first=False,
        gap=14,
    ),
    Form(
        language="python",
        hint=".py in ",
        pattern=r"^[>\s]*{path} in {name}\(",
        ending=r"\.py",
        innermost_first=False,
        gap=14,
    ),
    Form(
        language="pytest",
        hint=".py:",
        pattern=r"{quote}{path}:{line}:(?: in {name}| (?:[\w.]+)?$| *$|(?= [\w.]{0,100}(?:Error|Exception): ))",
        ending=r"\.py",
        innermost_first=False,
        gap=90,
    ),
    Form(language="jvm", hint="at ", pattern=_JVM),
    Form(
        language="go",
        hint=".go:",
        pattern=r"{quote}{path}:{line}(?: \+0x[0-9a-f]+)?\s*$",
        ending=r"\.go",
        above=_GO_CALL,
    ),
    Form(
        language="rust",
        hint="at ",
        pattern=r"{quote}at {path}:{line}(?::{column})?\s*$",
        ending=r"\.rs",
        above=_RUST_CALL,
    ),
    Form(
        language="rust",
        hint="panicked at",
        pattern=r"thread .{0,100} panicked at (?:'.{0,2000}', )?{path}:{line}",
        ending=r"\.rs",
        says_error=True,
    ),
    Form(language="ruby", hint=":in ", pattern=r"{path}:{line}:in ?[`'](?P<function>[^'`\n]{1,200})['\\]"),
    Form(
        language="ruby",
        hint=" in ",
        pattern=r"{path}:{line} in (?P<function>\w[^'`\n]{0,200})$",
        ending=r"\.(?:rb|erb|rake|ru)",
    ),
    Form(
        language="php",
        hint="#",
        pattern=r"#\d{1,4} {path}\({line}\): (?P<function>[\w\\:>{}-]{1,300})",
        names_callee=True,
    ),
    Form(
        language="php", hint=".php", pattern=r" in (?:file )?{path}(?: on line |:){line}", ending=r"\.(?:php|phtml|inc)"
    ),
    Form(language="php", hint=".php:", pattern=r"{quote}{path}:{line}\s*$", ending=r"\.php"),
    Form(language="native", hint="#", pattern=r"#\d{1,4}\s+" + _NATIVE_CALL + " at {path}:{line}"),
    Form(
        language="native",
        hint="#",
        pattern=r"#\d{1,4} 0x[0-9a-f]+ in (?P<function>[^\s(]{1,300}){arguments}?(?: const)? {path}:{line}",
        ending=r"\.\w{1,4}",
    ),
    Form(
        language="native",
        hint="0x",
        pattern=r"\b(?:at|by) 0x[0-9A-Fa-f]{4,16}: (?P<function>[^\s(]{1,300}){arguments}? \({path}:{line}\)",
        ending=r"\.\w{1,4}",
    ),
    Form(
        language="swift",
        hint=".swift",
        pattern=r"{path}(?::|, line ){line}: (?=Fatal|Assertion|Precondition)",
        ending=r"\.swift",
    ),
    Form(
        language="swift",
        hint="Fatal error",
        pattern=r"Fatal error: .{0,1000}?: file {path}, line {line}",
        ending=r"\.swift",
        says_error=True,
    ),
    Form(language="swift", hint=" at ", pattern=r"\bin {name}{arguments}? at {path}:{line}", ending=r"\.swift"),
    Form(
        language="elixir",
        hint=".ex",
        pattern=r"{quote}(?:\([\w.\- ]{1,100}\) )?{path}:{line}: (?P<function>[\w.]{1,200}\.[\w?!]{1,100})/\d+",
        ending=r"\.exs?",
    ),
    Form(language="lua", hint=": in ", pattern="{path}:{line}: in " + _LUA_CALL, ending=r"\.lua"),
    Form(language="perl", hint=" at ", pattern=r"\bat {path} line {line}", ending=r"\.(?:pl|pm|t)"),
    Form(
        language="haskell",
        hint=".hs:",
        pattern=r"(?:(?<![\w'])(?P<function>[\w']{1,100}), )?called at {path}:{line}:{column}",
        ending=r"\.hs",
    ),
    Form(language="javascript", hint="at ", pattern=r"\bat (?P<function>[^()\n]{1,200}?) \({where}:{line}:{column}\)"),
    Form(language="javascript", hint="at ", pattern=r"(?<!\btest )\bat (?:async )?{where}:{line}:{column}\)?$"),
    Form(
        language="javascript",
        hint="@",
        pattern=r"{quote}(?P<function>[\w$./<>\[\]*]{0,200})@{where}:{line}:{column}\s*$",
        alone=False,
    ),
    Form(
        language="javascript",
        hint="❯ ",
        pattern=r"❯ (?:(?P<function>[^\s()]{1,200}) )?{path}:{line}:{column}\s*$",
        ending=r"\.(?:[cm]?[jt]sx?|vue|svelte)",
    ),
    Form(
        language="python",
        hint=" in ",
        pattern=r"[│|] {path}:{line} in {name}\s*[│|]\s*$",
        ending=r"\.py",
        innermost_first=False,
        gap=60,
    ),
    Form(
        language="dotnet",
        hint="line ",
        pattern=r"(?:\bat )?{dotnet} in (?P<path>(?:[A-Za-z]:)?[^:*?\"<>|\n]{1,400}ENDING)(?::|, )line {line}",
        ending=r"\.(?:cs|vb|fs|cshtml|razor)",
    ),
    Form(
        language="dotnet",
        hint=") in ",
        pattern=r"(?:\bat )?{dotnet} in {path}(?!\w|:line|, line)",
        ending=r"\.(?:cs|vb|fs)",
    ),
    Form(language="dotnet", hint="at ", pattern=_DOTNET_NAMES, alone=False),
)
