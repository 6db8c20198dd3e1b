"""What does a question ask for: which terms, which identifiers, which places, which kinds of file?

Any text is a question; none is a syntax error. A short question passes as it is, a report (a bug report, a mail, a log,
pasted code) is first taken apart by `text.report`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from callsite.text.words import STOP_WORDS, Words, fold, identifiers
from callsite.values import dataclass, field

_REPORT_CHARACTERS = 200  # longer, or more lines than the next: a report (two regimes beat one by .004 and 2 points @5)
_REPORT_LINES = 3
_COMPOUND_WEIGHT = 1.0
_PART_OF_NAME_WEIGHT = 0.3
_LONG_WORD = 5  # letters; longer ones may be compounds themselves: `threadpool` asks for `thread_pool` too
MAX_CHARACTERS = 200_000  # what stands further down in a pasted log is not read

DOTTED = r"\b[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)+"
CALL = r"\b([A-Za-z_]\w{2,})\("
COMPOUND = r"\b(?:[A-Z][a-z0-9]+[A-Z]\w*|[a-z][a-z0-9]*[A-Z]\w*|\w+_\w+|[A-Z]{2,}[a-z]\w+)\b"
TICKED = r"``?([^`\n]{1,80})``?"
_EXTENSIONS = (
    r"py[xi]?|[cm]?[jt]sx?|vue|go|rb|erb|rs|java|kts?|cs|php|cc?|cpp|cxx|hh?|hpp|exs?|hs|lua|swift|scala|zig|sh|sql|css"
    r"|scss|html?|md|rst|ya?ml|toml|json|cfg|ini|mm?"
)
_PATH_CHARACTERS = r"[\w.~@+\-/\\]+"
_PATH_END = rf"\.(?:{_EXTENSIONS})\b(?!\.?\w)"  # the full stop of a sentence belongs to no path
_TITLE_CHARACTERS = 2_000  # what stands further on in one enormous line is no title
_WORD = r"[A-Za-z_$][\w$]*[?!]?"
_ASKS = {
    "tests": r"\b(tests?|spec|specs|testing|fixture|fixtures|unittest|pytest|test case|mock|mocks)\b",
    "docs": r"\b(docs?|documentation|readme|changelog|guide|tutorial)\b",
    "examples": r"\b(examples?|samples?|demos?|benchmarks?)\b",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A path that the question writes down, with the line if it gives one."""

    path: str
    line: int = 0
    function: str = ""
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question understood; weights are relative, the largest being worth most."""

    text: str
    is_report: bool
    terms: Mapping[str, float]  #: term → weight
    said: tuple[str, ...]  #: the terms that the question itself says, without the names that are made of them
    title_terms: Mapping[str, float]  #: the terms of the first line; of all when it is no report
    mentions: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))  #: identifier → weight
    dotted: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))  #: module or member path → weight
    imports: tuple[tuple[str, str], ...] = ()  #: (module, name) of import lines in pasted code
    places: tuple[Place, ...] = ()  #: paths that are quoted
    asks: frozenset[str] = frozenset()  #: shelves that the question asks for

    @property
    def is_identifier(self) -> bool:
        """Whether the question is nothing but one name."""
        return not self.is_report and len(self.text.split()) == 1


def understand(text: str, words: Words, *, shown: str = "", frames: str = "", called: Sequence[str] = ()) -> Question:
    """Take a question apart; never fails, and takes time in proportion to its length.

    Of stack traces that belong to the question and are not in `text`: shown: messages and lines of code. frames: the
    other lines. called: their functions.
    """
    text = text[:MAX_CHARACTERS].replace("\r\n", "\n").replace("\0", " ")
    if shown or frames or len(text) > _REPORT_CHARACTERS or text.strip().count("\n") >= _REPORT_LINES:
        from callsite.text.report import understand_report  # its patterns cost 5 ms that a short question need not pay

        return understand_report(
            text, words, shown=shown[:MAX_CHARACTERS], frames=frames[:MAX_CHARACTERS], called=called
        )
    terms = dict.fromkeys(words.terms(text), 1.0) or _terms_of_stop_words(text, words)
    said = tuple(terms)
    for compound in re.findall(r"\b\w+(?:[-.]\w+)+\b", text):  # kebab-case and dotted names meet camelCase ones
        terms.setdefault("=" + fold(compound.replace(".", "")), 1.0)
    if len(text.split()) == 1 and len(said) > 1:  # one name of several words: the name itself is meant, not its words
        terms = {term: 1.0 if term.startswith("=") else _PART_OF_NAME_WEIGHT for term in terms}
    for compound in compounds(text):
        terms.setdefault("=" + compound, _COMPOUND_WEIGHT)
        terms.setdefault(words.stem(compound), _COMPOUND_WEIGHT)
    return Question(
        text=text,
        is_report=False,
        terms=terms,
        said=said,
        title_terms=terms,
        mentions=_mentions_of_short(text),
        dotted=dict.fromkeys(re.findall(DOTTED, text), 1.0),
        places=places(text, title=text),
        asks=asked_shelves(text),
    )


def compounds(text: str) -> list[str]:
    """Adjacent words as one name, and single words as such: "thread pool" meets `threadpool.c` and `ThreadPool`."""
    found = [fold(word) for word in identifiers(text) if word.isalpha()]
    telling = [word if word not in STOP_WORDS and len(word) > 1 else "" for word in found]
    pairs = [first + second for first, second in pairwise(telling) if first and second]
    return pairs + [word for word in telling if len(word) > _LONG_WORD]


def asked_shelves(text: str) -> frozenset[str]:
    """The shelves of files that the words of a question ask for."""
    return frozenset(shelf for shelf, pattern in _ASKS.items() if re.search(pattern, text, re.IGNORECASE))


def places(text: str, *, title: str) -> tuple[Place, ...]:
    """Paths that a text quotes; a bare file name counts less than a path, one in the title more."""
    title = title[:_TITLE_CHARACTERS]
    found = []
    for path, line in _written_paths(text):
        weight = 1.0 if path in title else 0.9 if line else 0.8
        weight *= 1.0 if "/" in path or "\\" in path else 0.6
        found.append(Place(path=path, line=line, weight=weight))
    return tuple(dict.fromkeys(found))


def _written_paths(text: str) -> Iterator[tuple[str, int]]:
    """Paths and their lines. Runs of characters first, then their last ending: one pattern for both is quadratic."""
    for run in re.finditer(_PATH_CHARACTERS, text):
        ends = [end.end() for end in re.finditer(_PATH_END, run[0])]
        if not ends:
            continue
        path = run[0][: ends[-1]]
        stem = re.split(r"[/\\]", path)[-1].rpartition(".")[0]
        line = re.compile(r":(\d{1,9})").match(text, run.end()) if ends[-1] == len(run[0]) else None
        if stem:
            yield path, int(line[1]) if line else 0


class Mentions(dict[str, float]):
    """Identifiers that a text mentions, each with the largest weight it was given."""

    def add(self, name: str, weight: float, *, noise: frozenset[str] = frozenset()) -> None:
        """Note a name and, for a dotted one, its last part."""
        name = name.strip("()[]{},.:;'\"#")
        last = re.split(r"\.|::|#", name)[-1]
        if len(last) < 2:  # `e.g`, `i.e`
            return
        for part in (name, last):
            if part.lower() not in noise and part.lower() not in STOP_WORDS:
                self[part] = max(self.get(part, 0.0), weight)


def _mentions_of_short(text: str) -> Mentions:
    mentions = Mentions()
    whole = text.strip()
    if re.fullmatch(r"[\w$.:#/\\-]+[?!]?", whole):  # nothing but a name
        mentions.add(whole, 3.0)
        if whole.isidentifier():  # also `get` or `x`, which say nothing in a sentence
            mentions.setdefault(whole, 3.0)
    for quoted in re.findall(TICKED, text) + re.findall(r"[\"']([^\"'\n]{2,80})[\"']", text):
        for name in re.findall(DOTTED, quoted) + re.findall(_WORD, quoted):
            mentions.add(name, 2.4)
    for pattern in (DOTTED, CALL, COMPOUND):
        for name in re.findall(pattern, text):
            mentions.add(name, 2.0)
    capitalised = re.findall(r"\b[A-Z]\w{2,}", text)
    for name in capitalised[whole[:1].isupper() :]:  # the first word of a sentence is no name
        mentions.add(name, 1.6)
    return mentions


def _terms_of_stop_words(text: str, words: Words) -> dict[str, float]:
    return {words.stem(word): 1.0 for word in identifiers(text)}
