"""What is said of an error around a trace: its class and its message. Pure."""

from __future__ import annotations

import re

_CLASS = r"[A-Za-z_][\w.$\\:]{0,200}"
_ENDS = r"(?:Error|Exception|Warning|Failure|Fault|Exit|Group|Interrupt|Panic|Violation|Overflow|Timeout)"
_RUBY = r" \((?P<error>[A-Z]\w{0,60}(?:::[A-Z]\w{0,60}){0,6})\)$"  # behind the message
_LONGEST_MESSAGE = 2_000
_HEAD, _TAIL = 3_000, 1_000  # characters of a line that is longer, where the class stands
_PATTERNS = (
    rf"(?:Uncaught|Unhandled)(?: exception)?:? (?P<error>{_CLASS}): (?P<message>.{{0,2000}}?)(?: in \S+:\d+)?$",
    r"(?P<error>panic): (?P<message>.{0,2000})$",
    r"thread '[^'\n]{0,100}' (?:\(\d+\) )?(?P<error>panicked) at (?:'(?P<message>.{0,2000})', )?",
    r"\*\* \((?P<error>[A-Z][\w.]{0,100})\) (?P<message>.{0,2000})$",
    r"ERROR: (?P<error>\w+Sanitizer): (?P<message>.{0,2000})$",
    r"(?P<error>Fatal error): (?P<message>.{0,2000}?)(?:: file .{0,400})?$",
    rf":in ?[`'][^'`\n]{{1,200}}['`]?: ?(?P<message>[^\n]{{1,2000}}?){_RUBY}",
    rf"^(?P<message>[^\n]+?){_RUBY}",
    rf"(?:^|[\s|>\])])(?:Caused by: |Suppressed: |E {{1,8}})?(?P<error>(?:{_CLASS})?{_ENDS}\d*)"
    r"(?:: (?P<message>.{0,2000}))?$",
    r"(?:^|[\s|>])E {3,8}(?P<error>assert)(?P<message> .{0,2000})$",
    rf"(?<!Failure/)\b(?P<error>[\w.$\\]{{0,200}}{_ENDS})\b: (?P<message>.{{1,2000}}?)(?: at |$)",
    rf"(?<!Failure/)\b(?P<error>[A-Z][\w.$\\]{{0,200}}{_ENDS})\b",
)


def error_in(line: str) -> tuple[str, str] | None:
    """The class and the message of the error that a line speaks of, None if it speaks of none."""
    if len(line) > _HEAD + _TAIL:
        line = f"{line[:_HEAD]} … {line[-_TAIL:]}"
    for pattern in _PATTERNS:
        if found := re.search(pattern, line):
            message = (found.groupdict().get("message") or "").lstrip(": ").rstrip()
            return found["error"], message[-_LONGEST_MESSAGE:]
    return None
