"""How does the file of a recording become a value? The steps in order; each part that goes out is cleaned here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from msgspec import Raw

from callsite.evidence.appmap import document as parts
from callsite.evidence.appmap.calls import CallTree, Issued, Throw
from callsite.evidence.appmap.code_objects import ClassMap, place_of, source_path
from callsite.evidence.appmap.problems import Problems
from callsite.evidence.appmap.recording import Call, Facts, Query, Raised, Recording, Request, title_of
from callsite.evidence.appmap.routes import normalised_route, normalised_url
from callsite.evidence.appmap.secrets import masked, name_of
from callsite.evidence.appmap.sql import MOST_READ, n_times, normalised_sql, rough_form
from callsite.values import replace

_MOST_EVENTS = 3_000_000
_MOST_EXCEPTIONS = 200
_MOST_MESSAGES = 1_000  # looked at for these; to clean one takes up to some milliseconds
_MOST_REQUESTS = 300
_MOST_QUERIES = 500
_MOST_OF_SQL = 8_000_000  # characters of different statements, which take some seconds to clean
_MOST_PARAMETERS = 2_000
_MOST_EDGES = 12
_MOST_FUNCTIONS = 20
_MOST_LABELS = 50
_SAMPLED_CALLS = 3  # the parameters of a function are the same each time, their classes nearly
_LAST_CALLS = 30


def recording_of(data: bytes, *, file: str) -> Recording:
    """The recording in the bytes of a file; nothing is raised for bad input."""
    problems = Problems()
    document = parts.decoded(data, problems)
    metadata = parts.object_of(document.metadata)
    if not metadata and not problems.told():
        problems.add("no metadata", "the recording is named after its file")
    class_map = ClassMap(parts.nodes_of(document.class_map, problems), problems)
    reading = _Reading(class_map, problems)
    for event in parts.events_of(document, problems, at_most=_MOST_EVENTS):
        reading.take(event)
    facts = facts_of(metadata, version=_version(document))
    return reading.recording(facts, metadata, file=file)


class _Reading:
    """The numbered functions and queries of the recording that is being read."""

    def __init__(self, class_map: ClassMap, problems: Problems) -> None:
        self.class_map = class_map
        self.problems = problems
        self.tree = CallTree(problems, place_of=self._place_of, query_of=self._query_of)
        self.places: list[tuple[str, int, str, str]] = []  #: path, line, name, fqid
        self._index_by_key: dict[tuple[str | None, int | None, str | None, str | None], int] = {}
        self._index_by_place: dict[tuple[str, int, str], int] = {}
        self._n_sampled: Counter[int] = Counter()
        self.statements: list[tuple[str, str]] = []
        self._query_by_rough: dict[tuple[str, str], int] = {}
        self._n_characters = 0
        self._query_by_plain: dict[tuple[str, str], int] = {}
        self._n_runs: Counter[int] = Counter()
        self.parameters: dict[str, None] = {}
        self.classes: dict[str, None] = {}

    def take(self, event: parts.Event) -> None:
        """The next event."""
        self.tree.take(event)
        if event.message is not parts.NOTHING:
            self._note_parameters(event.message)

    def _place_of(self, event: parts.Event) -> int:
        """The number of the function that is called."""
        key = event.path, event.lineno, event.method_id, event.defined_class
        index = self._index_by_key.get(key)
        if index is None:
            index = self._index_by_key[key] = self._new_place(event)
        if self._n_sampled[index] < _SAMPLED_CALLS:
            self._n_sampled[index] += 1
            self._note_parameters(event.parameters)
        return index

    def _new_place(self, event: parts.Event) -> int:
        line = event.lineno or 0
        line = line if 0 < line < 10**9 else 0
        path, name = source_path(event.path or "", line), name_of(event.method_id or "")
        fqid = self.class_map.fqid_by_place.get((path, line, name)) or _fqid(event, name)
        if not name and not path:
            self.problems.add("a call of no function", "left out")
            return -1
        place = path, line if path else 0, fqid
        if place not in self._index_by_place:
            self._index_by_place[place] = len(self.places)
            self.places.append((path, place[1], name, fqid))
        return self._index_by_place[place]

    def _query_of(self, sql: parts.Sql) -> int:
        rough = rough_form(sql.sql), sql.database_type
        index = self._query_by_rough.get(rough)
        if index is None:
            index = self._new_query(sql)
            if self._n_characters < _MOST_OF_SQL:
                self._query_by_rough[rough] = index
        if index >= 0:
            self._n_runs[index] += n_times(sql.sql)
        return index

    def _new_query(self, sql: parts.Sql) -> int:
        self._n_characters += min(len(sql.sql), MOST_READ)
        if self._n_characters >= _MOST_OF_SQL:
            self.problems.add("too much SQL", f"different statements were read up to {_MOST_OF_SQL} characters")
            return -1
        plain = normalised_sql(sql.sql, sql.database_type), name_of(sql.database_type, at_most=40)
        index = self._query_by_plain.get(plain, -1)
        if index < 0 and plain[0]:
            if len(self.statements) >= _MOST_QUERIES:
                self.problems.add("too many different queries", f"only {_MOST_QUERIES} were kept")
                return -1
            index = self._query_by_plain[plain] = len(self.statements)
            self.statements.append(plain)
        return index

    def _note_parameters(self, raw: Raw) -> None:
        for parameter in parts.parameters_of(raw):
            if len(self.parameters) + len(self.classes) > _MOST_PARAMETERS:
                break
            if parameter.name and (name := name_of(parameter.name, at_most=80)):
                self.parameters.setdefault(name)
            if parameter.class_ and (name := name_of(parameter.class_)):
                self.classes.setdefault(name)

    def recording(self, facts: Facts, metadata: dict[str, Any], *, file: str) -> Recording:
        """Everything that was read, as a value."""
        endings = _endings(self.tree.throws, facts, metadata)
        requests, position_by_issued = self._requests()
        return Recording(
            file=file,
            name=masked(_text(metadata.get("name")), at_most=200).strip() or title_of(file),
            facts=facts,
            labels=tuple(filter(None, (name_of(label) for label in _texts(metadata.get("labels"))[:_MOST_LABELS]))),
            code_objects=tuple(self.class_map.objects),
            calls=self._calls(facts, endings),
            exceptions=_exceptions(self.tree.throws, endings),
            requests=requests,
            queries=self._queries(position_by_issued),
            parameters=tuple(sorted(self.parameters)),
            parameter_classes=tuple(sorted(self.classes)),
            n_events=self.tree.n_events,
            problems=self.problems.told(),
        )

    def _calls(self, facts: Facts, endings: set[int]) -> tuple[Call, ...]:
        tree = self.tree
        raised = tree.distances({throw.node: 0 for throw in tree.throws if throw.node >= 0})
        ends = {tree.throws[index].node: 0 for index in endings if tree.throws[index].node >= 0}
        failed = tree.distances(ends or tree.last_calls(at_most=_LAST_CALLS)) if facts.failed else {}
        callers, callees = _neighbours(tree.edges)
        return tuple(
            Call(
                fqid=fqid,
                path=path,
                line=line,
                name=name,
                n_calls=tree.counts[index],
                depth=tree.depths.get(index, 0),
                exception_distance=raised.get(index, -1),
                failure_distance=failed.get(index, -1),
                callers=callers.get(index, ()),
                callees=callees.get(index, ()),
            )
            for index, (path, line, name, fqid) in enumerate(self.places)
        )

    def _requests(self) -> tuple[tuple[Request, ...], dict[int, int]]:
        """Different requests, and at which position each served one of the events stands."""
        found: dict[tuple[str, str, str, int], Request] = {}
        positions: dict[tuple[str, str, str, int], int] = {}
        position_by_issued: dict[int, int] = {}
        for side, issued_ones in (("server", self.tree.served), ("client", self.tree.sent)):
            for number, issued in enumerate(issued_ones):
                request = _request(issued, side)
                key = request.side, request.method, request.route, request.status
                if key in found:
                    found[key] = _merged(found[key], request)
                elif len(found) < _MOST_REQUESTS:
                    found[key], positions[key] = request, len(positions)
                else:
                    self.problems.add("too many different requests", f"only {_MOST_REQUESTS} were kept")
                if side == "server" and key in positions:
                    position_by_issued[number] = positions[key]
        return tuple(found.values()), position_by_issued

    def _queries(self, position_by_issued: dict[int, int]) -> tuple[Query, ...]:
        return tuple(
            Query(
                sql=self.statements[index][0],
                database_type=self.statements[index][1],
                functions=tuple(issued.functions)[:_MOST_FUNCTIONS],
                stack=issued.stack[:_MOST_FUNCTIONS],
                requests=_positions(issued.requests, position_by_issued),
                n_times=self._n_runs[index],
                event=issued.event,
            )
            for index, issued in self.tree.queries.items()
        )


def _positions(requests: Iterable[int], position_by_issued: dict[int, int]) -> tuple[int, ...]:
    known = (position_by_issued[number] for number in requests if number in position_by_issued)
    return tuple(dict.fromkeys(known))[:_MOST_FUNCTIONS]


def _request(issued: Issued, side: str) -> Request:
    part = issued.request
    route = normalised_url(part.url) if side == "client" else _served_route(part)
    method = part.request_method.upper()
    by_depth = sorted(issued.functions.items(), key=lambda item: item[1])
    return Request(
        side=side,
        method=method if method.isalpha() and len(method) <= 20 else "",
        route=route,
        status=issued.status if 0 < issued.status < 1000 else 0,
        functions=tuple(place for place, _ in by_depth)[:_MOST_FUNCTIONS],
        event=issued.event,
    )


def _served_route(part: parts.HttpRequest) -> str:
    return normalised_route(part.normalized_path_info or part.path_info or part.url)


def _merged(one: Request, other: Request) -> Request:
    functions = tuple(dict.fromkeys(one.functions + other.functions))[:_MOST_FUNCTIONS]
    return replace(one, functions=functions, n_times=one.n_times + other.n_times)


def _endings(throws: list[Throw], facts: Facts, metadata: dict[str, Any]) -> set[int]:
    """Positions of the exceptions that the test ended with."""
    given = metadata.get("exception")
    if not facts.failed or not isinstance(given, dict):
        return set()
    name, message = _last_part(_text(given.get("class"))), _text(given.get("message")).strip()
    alike = [index for index, throw in enumerate(throws) if _last_part(throw.thrown.class_) == name]
    same = [index for index in alike if (throws[index].thrown.message or "").strip() == message]
    return set(same[-1:] or [index for index in alike if throws[index].caught_by < 0][-1:])


def _last_part(name: str) -> str:
    return re.split(r"[.:$]", name)[-1]


def _exceptions(throws: list[Throw], endings: set[int]) -> tuple[Raised, ...]:
    """Different exceptions in order; those that ended the test first."""
    first: dict[tuple[str, str, tuple[int, ...], bool], Raised] = {}
    number: Counter[tuple[str, str, tuple[int, ...], bool]] = Counter()
    plain: dict[str, str] = {}
    for index in sorted(range(len(throws)), key=lambda index: index not in endings):
        throw = throws[index]
        raw = throw.thrown.message or ""
        if raw not in plain:
            if len(plain) >= _MOST_MESSAGES:
                continue
            plain[raw] = masked(raw)
        name, message = name_of(throw.thrown.class_), plain[raw]
        key = name, message, throw.stack, index in endings
        number[key] += 1
        if key not in first and len(first) < _MOST_EXCEPTIONS and (name or message):
            line = throw.thrown.lineno or 0
            first[key] = Raised(
                name=name,
                message=message,
                path=source_path(throw.thrown.path or "", line),
                line=line if 0 < line < 10**9 else 0,
                stack=throw.stack,
                caught_by=throw.caught_by,
                ended_test=index in endings,
                event=throw.event,
            )
    return tuple(replace(raised, n_times=number[key]) for key, raised in first.items())


def _neighbours(edges: Counter[tuple[int, int]]) -> tuple[dict[int, tuple[int, ...]], dict[int, tuple[int, ...]]]:
    """Callers and callees of each function, most frequent first."""
    callers: dict[int, list[int]] = {}
    callees: dict[int, list[int]] = {}
    for (caller, callee), _ in edges.most_common():
        if caller != callee:
            callers.setdefault(callee, []).append(caller)
            callees.setdefault(caller, []).append(callee)
    return (
        {index: tuple(others[:_MOST_EDGES]) for index, others in callers.items()},
        {index: tuple(others[:_MOST_EDGES]) for index, others in callees.items()},
    )


def _fqid(event: parts.Event, name: str) -> str:
    """The name of a function that the class map does not hold."""
    owner = name_of(event.defined_class or "")
    owner = owner if "::" in owner else owner.replace(".", "/")
    return f"function:{owner}{'.' if event.static else '#'}{name}"


def facts_of(metadata: dict[str, Any], *, version: str = "") -> Facts:
    """What the metadata of a recording or of an index directory say."""
    failure, exception = _object(metadata.get("test_failure")), _object(metadata.get("exception"))
    source_path_, source_line = place_of(_text(metadata.get("source_location")))
    failure_path, failure_line = place_of(_text(failure.get("location")))
    recorder = _object(metadata.get("recorder"))
    status = _text(metadata.get("test_status"))
    timestamp = metadata.get("timestamp")
    return Facts(
        version=version,
        app=name_of(_text(metadata.get("app"))),
        language=name_of(_text(_object(metadata.get("language")).get("name")), at_most=40).lower(),
        frameworks=_frameworks(metadata.get("frameworks")),
        recorder=name_of(_text(recorder.get("name")), at_most=60),
        recorder_type=name_of(_text(recorder.get("type")), at_most=40),
        source_path=source_path_,
        source_line=source_line,
        test_status=status if status in ("succeeded", "failed") else "",
        failure_message=masked(_text(failure.get("message"))),
        failure_path=failure_path,
        failure_line=failure_line,
        exception_class=name_of(_text(exception.get("class"))),
        exception_message=masked(_text(exception.get("message"))),
        commit=_commit(_object(metadata.get("git")).get("commit")),
        timestamp=float(timestamp) if isinstance(timestamp, int | float) and 0 < timestamp < 1e14 else 0.0,
    )


def _version(document: parts.Document) -> str:
    version = parts.text_of(document.version)
    return version if re.fullmatch(r"\d{1,3}(?:\.\d{1,3}){0,3}", version) else ""


def _commit(value: Any) -> str:
    return value if isinstance(value, str) and re.fullmatch(r"[0-9a-f]{7,64}", value) else ""


def _frameworks(value: Any) -> tuple[str, ...]:
    named = [_text(one.get("name")) for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    return tuple(filter(None, (name_of(name, at_most=60) for name in named[:20])))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
