"""Does a frame belong to the project, to a dependency, to the language itself or to a test runner? Pure.

Only what the path and the names themselves tell: whether a project file of that path exists is for others to say.
"""

from __future__ import annotations

import re

_RUNNER = re.compile(
    r"(?:^|[/\\])(?:_pytest|pluggy|unittest|nose2?|jest-(?:circus|jasmine2|runner|runtime)|jasmine-core|vitest|mocha"
    r"|rspec-core-[\d.]+|minitest-[\d.]+|phpunit)[/\\]|^(?:org\.junit|junit\.|org\.testng|org\.gradle|org\.apache\.maven"
    r"|kotlinx?\.test|org\.scalatest|Xunit|NUnit|Microsoft\.VisualStudio\.TestPlatform|testing\.tRunner|PHPUnit)\b"
)
_DEPENDENCY = re.compile(
    r"(?:^|[/\\])(?:site-packages|dist-packages|node_modules|bower_components|gems|vendor|\.cargo[/\\]registry"
    r"|pkg[/\\]mod|deps|Pods|\.m2|\.nuget)[/\\]"
)
_RUNTIME_PATH = re.compile(
    r"^(?:node:|internal/|<frozen |<string>|<stdin>|\[internal|native\b)"
    r"|(?:^|[/\\])(?:lib[/\\]python[\d.]+|rustc[/\\][0-9a-f]+"
    r"|go[/\\](?:[\d.]+[/\\]libexec[/\\])?src|ruby[/\\][\d.]+|sysdeps|glibc)[/\\]"
)
_RUNTIME_OWNER = re.compile(
    r"^(?:java|javax|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|System|Microsoft|MS\.Internal|Swift|Foundation|core"
    r"|std|alloc|runtime|rust_begin_unwind|__libc_start_main)(?:\.|::|/|$)"
)


def origin_of(path: str, owner: str, function: str) -> str:
    """One of `values.ORIGINS`."""
    if _RUNNER.search(path) or _RUNNER.search(owner):
        return "runner"
    if _DEPENDENCY.search(path):
        return "dependency"
    if _RUNTIME_PATH.search(path) or _RUNTIME_OWNER.search(owner or function):
        return "runtime"
    return "project"
