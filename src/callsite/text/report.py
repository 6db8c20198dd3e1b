"""What does a whole report say? Title, prose, code and trace are told apart, because each tells differently much.

Measured on real issues (SWE-bench Lite, dev half, docs/why/ranking.md): title × 3, code × .5, traces × .3, report words
and environment listings dropped; leaving code out altogether, or keeping only the heaviest terms, loses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from callsite.text.question import CALL, COMPOUND, DOTTED, TICKED, Mentions, Place, Question, asked_shelves, places
from callsite.text.words import Words, identifiers

_WEIGHTS = {"title": 3.0, "prose": 1.0, "code": 0.5, "shown": 0.6, "frames": 0.3}
_FREQUENCY_POWER = 0.5  # a word said nine times in a report counts three times
_MENTION = {"title": 2.0, "prose": 1.0, "ticked": 1.2, "code": 0.5, "frame": 0.7}

_REPORT_WORDS = frozenset(
    """bug issue error report expected actual behavior behaviour result results output example reproduce steps following
    version versions code description problem please see like want need try tried think seems know sure python print
    true false none traceback recent call last line file module self return import def class fix fixed feature request
    would current currently latest main master release happen happens instead""".split()
)
# Possessive quantifiers (`*+`) stand where two neighbours could share characters: hostile text would take hours else.
_FENCE = r"((?:[^`]++|(?<!`)`{1,2}(?!`))*+)(`{3,}+)[^`]*+$|([>\s]*+)(~{3,}+)[^`~]*+$"
_CODE_LINE = r"\s{4,}|>>>|\.\.\. |In \[|Out\[|\t"
_HEADING = r"\s*#{1,4}\s|\*\*"
_ENVIRONMENT_HEADING = (
    r"\W*(?:[\w ]*\b)?(versions?|environment|system details|installed versions|pip (?:list|freeze)|conda list"
    r"|os and versions?|python version|your environment|environment info)\b[\w ]{0,24}\W*$"
)
_ENVIRONMENT_LINE = r"\s*+[\w.\-]++(?:\s*+[:=]{1,2}\s*+|\s{2,}+)v?(?:\d[\w.+\-]*+|None|True|False)\s*+\S*+\s*+$"
_ERROR_LINE = r"\W*+[\w.]*(Error|Exception|Warning|Exit)\b"
_BLOB_URL = (
    r"https?://[\w.-]+/[\w.-]+/[\w.-]+/(?:-/)?(?:blob|tree)/[^/\s]+/([\w./-]+?\.\w+)(?:#L(\d+))?(?:-L?\d+)?"
    r"(?=\.?(?:[\s)\]>,;:`'\"]|$))"
)
_IMPORTED = r"(?:\(([\w\s,*]{1,2000}+)|([\w, *]+))"  # several lines in parentheses, or one
_IMPORT = rf"(?m)^[> \t.]*+(?:In \[\d+\]: *)?(?:from\s+([\w.]+)\s+import\s+{_IMPORTED}|import\s+([\w.]+))"


def understand_report(
    text: str, words: Words, *, shown: str = "", frames: str = "", called: Sequence[str] = ()
) -> Question:
    """Take a report apart: bug report, mail, log or pasted code; its traces stand apart already."""
    text = _without_comments(text)
    linked = [Place(path=path, line=int(line[:9] or 0), weight=0.9) for path, line in re.findall(_BLOB_URL, text)]
    text = re.sub(r"https?://\S+", " ", text).strip()
    title, _, body = text.partition("\n")
    title = title.strip("# ")
    prose, code = _sections(body)
    parts = {"title": title, "prose": prose, "code": code, "shown": shown, "frames": frames}
    terms = _weighted_terms(parts, words) or dict.fromkeys(map(words.stem, identifiers(text)), 1.0)
    return Question(
        text=text,
        is_report=True,
        terms=terms,
        said=tuple(terms),
        title_terms=dict.fromkeys(_informative_terms(title, words), 1.0),
        mentions=_mentions(parts, called),
        dotted=_dotted(parts),
        imports=_imports(body),
        places=places(text, title=title) + tuple(linked),
        asks=asked_shelves(title),
    )


def _without_comments(text: str) -> str:
    """The text without what HTML hides; by hand, as a pattern would read on to the end for each that is left open."""
    kept, end = [], 0
    while (start := text.find("<!--", end)) >= 0 and (stop := text.find("-->", start + 4)) >= 0:
        kept.append(text[end:start])
        end = stop + 3
    return " ".join([*kept, text[end:]])


def _sections(body: str) -> tuple[str, str]:
    """The prose and the code of a body; environment listings fall away."""
    outside, code = _without_fences(body.split("\n"))
    prose: list[str] = []
    in_environment = False
    for line in outside:
        if len(line) < 60 and re.match(_ENVIRONMENT_HEADING, line, re.IGNORECASE):
            in_environment = True
            continue
        if re.match(_HEADING, line):
            in_environment = False
        if in_environment or _is_environment(line):
            continue
        (code if re.match(_CODE_LINE, line) else prose).append(line)
    return "\n".join(prose), "\n".join(line for line in code if not _is_environment(line))


def _without_fences(lines: list[str]) -> tuple[list[str], list[str]]:
    """The lines outside of fenced code, and those inside; a fence that is never closed ends with the text."""
    outside: list[str] = []
    code: list[str] = []
    fence = ""
    for line in lines:
        if fence:
            inside, closing, after = line.partition(fence)
            code.append(inside)
            outside += [after] if closing else []
            fence = "" if closing else fence
        elif opening := re.match(_FENCE, line):
            outside.append(opening[1] or opening[3] or "")
            fence = opening[2] or opening[4]
        else:
            outside.append(line)
    return outside, code


def _is_environment(line: str) -> bool:
    return len(line) < 200 and re.match(_ENVIRONMENT_LINE, line) is not None


def _informative_terms(text: str, words: Words) -> list[str]:
    return [t for word in identifiers(text) if word.lower() not in _REPORT_WORDS for t in words[word].split()]


def _weighted_terms(parts: dict[str, str], words: Words) -> dict[str, float]:
    total: dict[str, float] = {}
    for name, text in parts.items():
        for term, n in Counter(_informative_terms(text, words)).items():
            total[term] = total.get(term, 0.0) + _WEIGHTS[name] * n**_FREQUENCY_POWER
    return total


def _mentions(parts: dict[str, str], called: Sequence[str]) -> Mentions:
    mentions = Mentions()
    for part in ("title", "prose"):
        for ticked in re.findall(TICKED, parts[part]):
            for name in re.findall(DOTTED, ticked) + re.findall(r"[A-Za-z_]\w+", ticked):
                mentions.add(name, _MENTION[part] * _MENTION["ticked"], noise=_REPORT_WORDS)
    for part in ("title", "prose", "code"):
        for pattern in (DOTTED, CALL, COMPOUND):
            for name in re.findall(pattern, parts[part]):
                mentions.add(name, _MENTION[part], noise=_REPORT_WORDS)
    for function in called:
        mentions.add(function, _MENTION["frame"], noise=_REPORT_WORDS)
    return mentions


def _dotted(parts: dict[str, str]) -> dict[str, float]:
    """Dotted names, which may be modules; those of the title count more."""
    weights: dict[str, float] = {}
    for part in ("title", "prose", "code"):
        for name in re.findall(DOTTED, parts[part]):
            weights.setdefault(name, 1.0 if part == "title" else 0.6)
    return weights


def _imports(body: str) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    for module, several, one_line, plain in re.findall(_IMPORT, body):
        if plain:
            found.append((plain, ""))
            continue
        names = (several or one_line).split(",")
        listed = [name.split()[0] for name in names if name.strip() not in ("", "*")]
        found += [(module, name) for name in listed] or [(module, "")]
    return tuple(found)
