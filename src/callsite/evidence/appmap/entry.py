"""What is kept of a recording to find and weigh it? Terms, functions, exceptions, requests and queries; no index yet.

An entry is made from the recording itself, or from the directory that AppMap's own indexer made of it; it can then be
stored (see `storage`) and chosen (see `choose`) without the recording.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from callsite.evidence.appmap.recording import CodeObject, Facts, Query, Raised, Recording, Request
from callsite.text.digest import digest
from callsite.text.words import Words
from callsite.values import dataclass, field

_MOST_TERMS = 5_000

#: How much a word says about a recording, by where it stands. A name is chosen to describe; functions are many.
_NAME, _EXCEPTION, _LABEL, _ROUTE, _OTHER = 4, 3, 3, 2, 1

QUERY_WORDS = "sql query database"
SERVER_WORDS = "route request server http"
CLIENT_WORDS = "route request client http"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A recording as it is stored; functions are columns of equal length, and others name them by position."""

    file: str  #: of the recording, as the caller names it
    origin: str  #: `recording`, or `index` for a directory that AppMap's indexer made
    name: str
    facts: Facts = Facts()
    labels: tuple[str, ...] = ()
    places: tuple[str, ...] = ()  #: of functions, see `place_of`
    n_calls: tuple[int, ...] = ()  #: 0 = in the class map only
    failure_distances: tuple[int, ...] = ()  #: calls between each and what made the test fail; -1 = unknown
    n_callees: tuple[int, ...] = ()  #: different functions that it calls
    exceptions: tuple[Raised, ...] = ()
    requests: tuple[Request, ...] = ()
    queries: tuple[Query, ...] = ()
    parameters: tuple[str, ...] = ()
    terms: dict[str, int] = field(default_factory=dict)  #: how often and how prominently each term is said
    exception_terms: tuple[str, ...] = ()  #: of the classes of its exceptions
    fingerprint: str = ""  #: the same for recordings that went the same ways
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function of an entry."""

    path: str
    line: int
    fqid: str

    @property
    def name(self) -> str:
        """`Class.method`, as people say it."""
        owner, _, method = self.fqid.partition(":")[2].replace("#", ".").rpartition(".")
        return f"{owner.replace('::', '/').rpartition('/')[2]}.{method}" if owner else method


def place_key(path: str, line: int, fqid: str) -> str:
    """A function in one text."""
    return f"{path}\t{line}\t{fqid}"


def path_of(place: str) -> str:
    """The path of the function that `place_key` made a text of."""
    return place.split("\t", 1)[0]


def function_at(place: str) -> Function:
    """The function that `place_key` made a text of."""
    path, line, fqid = place.split("\t", 2)
    return Function(path=path, line=int(line), fqid=fqid)


def entry_of(recording: Recording, *, words: Words) -> Entry:
    """The entry of a recording that was read."""
    calls = recording.calls
    called = [place_key(call.path, call.line, call.fqid) for call in calls]
    only_mapped = _only_mapped(recording.code_objects, called)
    rest = len(only_mapped)
    return _described(
        Entry(
            file=recording.file,
            origin="recording",
            name=recording.name,
            facts=recording.facts,
            labels=_all_labels(recording.labels, recording.code_objects),
            places=(*called, *only_mapped),
            n_calls=(*(call.n_calls for call in calls), *[0] * rest),
            failure_distances=(*(call.failure_distance for call in calls), *[-1] * rest),
            n_callees=(*(len(call.callees) for call in calls), *[0] * rest),
            exceptions=recording.exceptions,
            requests=recording.requests,
            queries=recording.queries,
            parameters=recording.parameters,
            problems=recording.problems,
        ),
        classes=[one.fqid for one in recording.code_objects if one.kind == "class"],
        words=words,
    )


def entry_of_index(
    *,
    file: str,
    name: str,
    facts: Facts,
    labels: Iterable[str],
    code_objects: Iterable[CodeObject],
    exceptions: Iterable[tuple[str, str, list[tuple[str, int]]]],
    requests: tuple[Request, ...],
    queries: tuple[Query, ...],
    parameters: Iterable[str],
    problems: tuple[str, ...],
    words: Words,
) -> Entry:
    """The entry of a directory of AppMap's indexer; exceptions have class, message and places, innermost first."""
    objects = list(code_objects)
    places = _only_mapped(objects, [])
    raised = []
    position_by_line = {_file_and_line(place): index for index, place in reversed(list(enumerate(places)))}
    for raised_class, message, stack in exceptions:
        for path, line in stack:
            if (path, line) not in position_by_line:
                position_by_line[path, line] = len(places)
                places.append(place_key(path, line, ""))
        found = tuple(position_by_line[one] for one in stack)
        raised.append(Raised(name=raised_class, message=message, stack=found))
    return _described(
        Entry(
            file=file,
            origin="index",
            name=name,
            facts=facts,
            labels=_all_labels(tuple(labels), objects),
            places=tuple(places),
            n_calls=(1,) * len(places),
            failure_distances=(-1,) * len(places),
            n_callees=(0,) * len(places),
            exceptions=tuple(raised),
            requests=requests,
            queries=queries,
            parameters=tuple(sorted(set(parameters))),
            problems=problems,
        ),
        classes=[one.fqid for one in objects if one.kind == "class"],
        words=words,
    )


def _file_and_line(place: str) -> tuple[str, int]:
    function = function_at(place)
    return function.path, function.line


def _only_mapped(objects: Iterable[CodeObject], called: list[str]) -> list[str]:
    """Functions of the class map that no event called."""
    functions = (place_key(one.path, one.line, one.fqid) for one in objects if one.kind == "function" and one.path)
    known = set(called)
    return [place for place in dict.fromkeys(functions) if place not in known]


def _all_labels(labels: tuple[str, ...], objects: Iterable[CodeObject]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*labels, *(label for one in objects for label in one.labels)]))


def _described(entry: Entry, *, classes: list[str], words: Words) -> Entry:
    """The entry with its terms and its fingerprint."""
    from callsite.values import replace

    terms: Counter[str] = Counter()
    for text, weight in keywords_of(entry, classes=classes).items():
        for term in set(words.terms(text)):
            terms[term] += weight
    return replace(
        entry,
        terms=dict(terms.most_common(_MOST_TERMS)),
        exception_terms=tuple(sorted(_exception_terms(entry, words))),
        fingerprint=_fingerprint(entry),
    )


def keywords_of(entry: Entry, *, classes: Iterable[str] = ()) -> Mapping[str, int]:
    """The texts that an entry is found by, each with how much its words say."""
    facts = entry.facts
    weights: dict[str, int] = {}

    def say(texts: Iterable[str], weight: int) -> None:
        for text in filter(None, texts):
            weights[text] = max(weight, weights.get(text, 0))

    say([entry.name], _NAME)
    say([facts.exception_class, facts.exception_message, facts.failure_message], _EXCEPTION)
    say((text for raised in entry.exceptions for text in (raised.name, raised.message)), _EXCEPTION)
    say(entry.labels, _LABEL)
    say((f"{request.method} {request.route}" for request in entry.requests), _ROUTE)
    say(_type_words(entry), _ROUTE)
    say((query.sql for query in entry.queries), _OTHER)
    say((function_at(place).fqid.partition(":")[2] for place in entry.places), _OTHER)
    say((fqid.partition(":")[2] for fqid in classes), _OTHER)
    say(entry.parameters, _OTHER)
    return weights


def _type_words(entry: Entry) -> list[str]:
    sides = {request.side for request in entry.requests}
    return [
        *([QUERY_WORDS] if entry.queries else []),
        *([SERVER_WORDS] if "server" in sides else []),
        *([CLIENT_WORDS] if "client" in sides else []),
    ]


def _exception_terms(entry: Entry, words: Words) -> set[str]:
    """Whole names of exception classes, as terms."""
    names = {raised.name for raised in entry.exceptions} | {entry.facts.exception_class}
    last = {name.replace("::", ".").rpartition(".")[2] for name in names if name}
    return {terms[-1] for name in last if (terms := words.terms(name))}


def _fingerprint(entry: Entry) -> str:
    """Of what was passed through; of the name only when nothing was."""
    passed = sorted({*entry.places, *(one.route for one in entry.requests), *(one.sql for one in entry.queries)})
    return digest("\n".join(passed or [entry.name]))[:16]
