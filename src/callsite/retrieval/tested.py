"""Which code is a failing test about? The test is found in the tree; what its lines call is what it tries.

Its lines are those in the tree, else those that the runner shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from callsite.evidence.traces.values import FailedTest
from callsite.index.lexical import ORDINAL_BITS
from callsite.index.prepared import last_part
from callsite.index.snapshot import Definition, File, Snapshot
from callsite.retrieval.places import path_index
from callsite.text.words import Words, fold
from callsite.values import dataclass, replace

MOST_TESTS = 20  # that count; what more of them name is mostly the same
_MOST_NAMES = 100  # that all of them name
_MOST_LINES = 200  # of a test
_MANY_DEFINITIONS = 20  # of a name, which then says nothing
_RARITY_POWER = 0.75
_CALLED, _USED = 1.0, 0.5  # `name(…)` or imported; a member, or a type
_DESCRIBED_CHUNKS = 30  # in which the words that describe a test are looked for
_MOST_SUITES = 12  # words of suites in front of a description
_STRING = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`")
_NAME = re.compile(r"(?P<before>\.|::|->)?\b(?P<name>[A-Za-z_]\w{2,60})(?P<call>\s?\(|!\()?")
_IMPORT = re.compile(r"\s*(?:from|import|use|using|require)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceOfTest:
    """Where a failing test stands in the tree."""

    file: File
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A definition that failing tests name."""

    name: str
    definition: Definition
    weight: float  #: 0 to 1: how much it is named, and how rare the name is
    said: str  #: by which test, for people


def with_code(snapshot: Snapshot, tests: Sequence[FailedTest], words: Words) -> tuple[FailedTest, ...]:
    """The tests, each of the first with its lines as they stand in the tree, where it is found."""
    counted = [with_lines(snapshot, test, place_of(snapshot, test, words)) for test in tests[:MOST_TESTS]]
    return (*counted, *tests[MOST_TESTS:])


def with_lines(snapshot: Snapshot, test: FailedTest, place: PlaceOfTest | None) -> FailedTest:
    """The test with the lines at its place in the tree; without one, with those that its runner shows."""
    if place is None:
        return test
    lines = snapshot.lines(place.file.content)[place.first_line - 1 : place.last_line]
    return replace(test, code=tuple(lines[:_MOST_LINES]))


def named_by(snapshot: Snapshot, tests: Sequence[FailedTest]) -> list[Named]:
    """What the lines of failing tests name, the rarest names first; code that tests themselves define is not meant."""
    said: dict[str, tuple[float, str]] = {}
    for test in tests[:MOST_TESTS]:
        for name, worth in names_in(test.code).items():
            if name != test.name and (name in said or len(said) < _MOST_NAMES):
                said[name] = max(said.get(name, (0.0, "")), (worth, test.name), key=lambda one: one[0])
    defined = snapshot.definitions(said)
    files = snapshot.files({one.file for places in defined.values() for one in places})
    found = []
    for name, (worth, test_name) in said.items():
        places = [one for one in defined.get(fold(name), ()) if _is_meant(one, name, files)]
        if len(places) <= _MANY_DEFINITIONS:
            weight = worth / max(1, len(places)) ** _RARITY_POWER
            why = f"named by the failing test {test_name}"
            found += [Named(name=name, definition=one, weight=weight, said=why) for one in places]
    return sorted(found, key=lambda one: -one.weight)


def _is_meant(place: Definition, name: str, files: Mapping[int, File]) -> bool:
    return place.is_written(name) and place.file in files and "tests" not in files[place.file].shelves


def names_in(code: Iterable[str]) -> dict[str, float]:
    """The names that lines of code call, import or use, in any language, with what each is worth."""
    found: dict[str, float] = {}
    for line in code:
        is_import = _IMPORT.match(line)
        for match in _NAME.finditer(_STRING.sub("''", line)):
            name = match["name"]
            if match["call"] or is_import:
                found[name] = _CALLED
            elif match["before"] or name[0].isupper():
                found.setdefault(name, _USED)
    return found


def place_of(snapshot: Snapshot, test: FailedTest, words: Words) -> PlaceOfTest | None:
    """Where a test stands: by path and name, by its definition, by the words that describe it; or nowhere."""
    index = snapshot.once(path_index)
    files = list(snapshot.files(index.written(test.path)).values()) if test.path else []
    if len(files) == 1:
        return _in_file(snapshot, files[0], test)
    if test.name.isidentifier() and (place := _by_definition(snapshot, test)):
        return place
    return _by_words(snapshot, test, words) if not files else None


def _in_file(snapshot: Snapshot, file: File, test: FailedTest) -> PlaceOfTest | None:
    places = [one for one in _definitions(snapshot, test) if one.file == file.id]
    if len({(one.owner, one.is_nested) for one in places}) == 1:
        lines = snapshot.lines(file.content)
        first = snapshot.line(places[0], test.name)
        return PlaceOfTest(file=file, first_line=first, last_line=_end_of_block(lines, first - 1))
    if place := _described(snapshot, file, test):
        return place
    if test.name.isidentifier():
        return None
    around = [chunk for chunk in snapshot.chunks(file.content) if chunk.first_line <= test.line <= chunk.last_line]
    if not around:
        return None
    return PlaceOfTest(file=file, first_line=around[0].first_line, last_line=around[0].last_line)


def _by_definition(snapshot: Snapshot, test: FailedTest) -> PlaceOfTest | None:
    """By its own name and that of its type, when that is in one file only."""
    files = snapshot.files({one.file for one in _definitions(snapshot, test)})
    return _in_file(snapshot, next(iter(files.values())), test) if len(files) == 1 else None


def _definitions(snapshot: Snapshot, test: FailedTest) -> list[Definition]:
    """What bears the name of a test: of its type, when there is such a one."""
    if not test.name.isidentifier():
        return []
    defined = snapshot.definitions([test.name]).get(fold(test.name), ())
    places = [one for one in defined if one.is_written(test.name)]
    owner = last_part(test.owner.replace("$", "."))
    return [one for one in places if owner and one.is_of(owner)] or places


def _by_words(snapshot: Snapshot, test: FailedTest, words: Words) -> PlaceOfTest | None:
    """By the words that describe it, which stand in quotes in one file only."""
    terms = dict.fromkeys(words.terms(f"{test.name} {test.owner}"), 1.0)
    if not terms:
        return None
    scope = snapshot.scope()
    chunks = snapshot.lexical.search_chunks(terms, field="words", scope=scope, limit=_DESCRIBED_CHUNKS)
    files = snapshot.files(dict.fromkeys(key >> ORDINAL_BITS for key in chunks)).values()
    places = [_described(snapshot, file, test) for file in files if "tests" in file.shelves]
    found = [place for place in places if place]
    return found[0] if len(found) == 1 else None


def _described(snapshot: Snapshot, file: File, test: FailedTest) -> PlaceOfTest | None:
    """The lines of the block that begins where a test's description stands in quotes, or as `Suite, name`."""
    if not test.name:
        return None
    lines = snapshot.lines(file.content)
    said = test.name.split(" ")
    ends = [" ".join(said[n:]) for n in range(min(len(said) - 1, _MOST_SUITES))] or said  # suites may stand in front
    quoted = re.compile(
        rf"([\"'`])(?:{'|'.join(map(re.escape, ends))})\1|\({re.escape(test.owner)}, {re.escape(test.name)}\)"
    )
    for at, line in enumerate(lines):
        if quoted.search(line):
            return PlaceOfTest(file=file, first_line=at + 1, last_line=_end_of_block(lines, at))
    return None


def _end_of_block(lines: Sequence[str], at: int) -> int:
    """The last line, from 1, of what is indented deeper than the line at `at`, and of what closes it."""
    indent, end = _indent(lines[at]), at + 1
    for n in range(at + 1, min(at + _MOST_LINES, len(lines))):
        said = lines[n].strip()
        is_closing = said == "end" or said[:1] in tuple("{}()[]")
        if said and (_indent(lines[n]) < indent or (_indent(lines[n]) == indent and not is_closing)):
            break
        end = n + 1 if said else end
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
