"""Which parts does the JSON of a recording hold? Typed, tolerant of every version; what they mean is not known here.

Fields that nobody may keep (values, headers, environment) are never decoded. Events stay slices of the file until each
one is asked for, so a file of 60 MB takes 20 MB beside itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Raw, Struct

from callsite.evidence.appmap.problems import Problems

NOTHING = Raw()  #: what is not in the file
_MOST_BYTES_TO_REPAIR = 32 * 2**20  # repairing takes eight times the size in memory
_MALFORMED = (msgspec.MsgspecError, RecursionError, ValueError)


class Sql(Struct, gc=False):
    sql: str = ""
    database_type: str = ""


class HttpRequest(Struct, gc=False):
    request_method: str = ""
    path_info: str = ""
    normalized_path_info: str = ""
    url: str = ""


class HttpResponse(Struct, gc=False):
    status_code: int = 0
    status: int = 0


class Thrown(Struct, gc=False):
    class_: str = msgspec.field(default="", name="class")
    message: str | None = None
    object_id: int | str | None = None
    path: str | None = None
    lineno: int | None = None


class Parameter(Struct, gc=False):
    name: str | None = None
    class_: str | None = msgspec.field(default=None, name="class")


class Event(Struct, gc=False):
    """One call or return; its kind shows by which of the optional parts it has."""

    event: str = ""
    id: int = 0
    parent_id: int | None = None
    thread_id: int | str | None = None
    defined_class: str | None = None
    method_id: str | None = None
    path: str | None = None
    lineno: int | None = None
    static: bool | None = None
    parameters: Raw = NOTHING
    message: Raw = NOTHING
    exceptions: list[Thrown] | None = None
    sql_query: Sql | None = None
    http_server_request: HttpRequest | None = None
    http_client_request: HttpRequest | None = None
    http_server_response: HttpResponse | None = None
    http_client_response: HttpResponse | None = None


class Node(Struct, gc=False):
    """A package, class, function, route or query of the class map."""

    name: str = ""
    type: str = ""
    children: list[Node] | None = None
    location: str | None = None
    static: bool | None = None
    labels: list[str] | None = None


class Document(Struct, gc=False):
    """The whole file."""

    version: Raw = NOTHING
    metadata: Raw = NOTHING
    class_map: Raw = msgspec.field(default=NOTHING, name="classMap")
    events: Raw = NOTHING
    event_updates: Raw = msgspec.field(default=NOTHING, name="eventUpdates")


_PARTS: dict[str, type[Struct]] = {
    "sql_query": Sql,
    "http_server_request": HttpRequest,
    "http_client_request": HttpRequest,
    "http_server_response": HttpResponse,
    "http_client_response": HttpResponse,
}
_LISTS: dict[str, type[Struct]] = {"exceptions": Thrown, "children": Node}

_document_decoder = msgspec.json.Decoder(Document)
_raws_decoder = msgspec.json.Decoder(list[Raw])
_updates_decoder = msgspec.json.Decoder(dict[str, Raw])
_event_decoder = msgspec.json.Decoder(Event, strict=False)
_nodes_decoder = msgspec.json.Decoder(list[Node], strict=False)
_parameters_decoder = msgspec.json.Decoder(list[Parameter], strict=False)


def decoded(data: bytes, problems: Problems) -> Document:
    """The parts of a file; an empty document when it is no JSON object."""
    try:
        return _document_decoder.decode(data)
    except _MALFORMED as first:
        try:
            document = _document_decoder.decode(_repaired(data))
        except _MALFORMED:
            problems.add("not a recording", _said(first))
            return Document()
        problems.add("JSON was repaired", _said(first))
        return document


def _repaired(data: bytes) -> bytes:
    """The same in strict JSON: no byte order mark, no NaN, no half of a surrogate pair, no raw control character."""
    if len(data) > _MOST_BYTES_TO_REPAIR:
        raise ValueError("too large to repair")
    text = data.decode("utf-8-sig", "replace")
    value = json.loads(text, strict=False, parse_constant=lambda _: None)
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def _said(error: Exception) -> str:
    """What a parser complains about; its messages name places, never content."""
    return str(error) if isinstance(error, msgspec.MsgspecError) else type(error).__name__


def events_of(document: Document, problems: Problems, *, at_most: int) -> Iterator[Event]:
    """The events in order, each replaced by its update; what is no event is left out and named."""
    updates = _updates_of(document, problems)
    raws = _list_of(document.events, "events", problems)
    if len(raws) > at_most:
        problems.add("too many events", f"only the first {at_most} of {len(raws)} were read")
    decode = _event_decoder.decode
    for raw in raws[:at_most]:
        try:
            event = decode(raw)
        except _MALFORMED:
            tolerated = _tolerated_event(raw, problems)
            if tolerated is None:
                continue
            event = tolerated
        yield updates.get(event.id, event) if updates else event


def _list_of(raw: Raw, what: str, problems: Problems) -> list[Raw]:
    if raw is NOTHING:
        return []
    try:
        return _raws_decoder.decode(raw)
    except _MALFORMED as error:
        problems.add(f"{what} cannot be read", _said(error))
        return []


def _updates_of(document: Document, problems: Problems) -> dict[int, Event]:
    """Later versions of events, by the id of the event that they replace."""
    if document.event_updates is NOTHING:
        return {}
    try:
        raw_by_id = _updates_decoder.decode(document.event_updates)
    except _MALFORMED as error:
        problems.add("eventUpdates cannot be read", _said(error))
        return {}
    updates = {}
    for key, raw in raw_by_id.items():
        event = _event(raw, problems)
        if event is not None and key.isascii() and key.isdigit() and len(key) < 20:
            updates[int(key)] = event
        else:
            problems.add("an update of no event", "left out")
    return updates


def _event(raw: Raw, problems: Problems) -> Event | None:
    try:
        return _event_decoder.decode(raw)
    except _MALFORMED:
        return _tolerated_event(raw, problems)


def _tolerated_event(raw: Raw, problems: Problems) -> Event | None:
    """An event of which some fields have the wrong type: without these."""
    value = _plain(raw)
    if not isinstance(value, dict):
        problems.add("an event is no object", "left out")
        return None
    event = _tolerated(value, Event, problems)
    return event if isinstance(event, Event) else None


def _plain(raw: Raw) -> Any:
    try:
        return msgspec.json.decode(bytes(raw).decode("utf-8", "replace"))
    except _MALFORMED:
        return None


def _tolerated(value: dict[Any, Any], kind: type[Struct], problems: Problems) -> Struct:
    kept: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        given = value.get(field.encode_name)
        if given is None:
            continue
        try:
            kept[field.name] = _tolerated_field(given, field.encode_name, field.type, problems)
        except (*_MALFORMED, TypeError):
            problems.add(f"{field.encode_name} has the wrong type", "ignored")
    return kind(**kept)


def _tolerated_field(given: Any, name: str, kind: Any, problems: Problems) -> Any:
    if kind is Raw:
        return Raw(msgspec.json.encode(given))
    if name in _PARTS and isinstance(given, dict):
        return _tolerated(given, _PARTS[name], problems)
    if name in _LISTS and isinstance(given, list):
        return [_tolerated(one, _LISTS[name], problems) for one in given if isinstance(one, dict)]
    return msgspec.convert(given, kind, strict=False)


def nodes_of(raw: Raw | bytes, problems: Problems) -> list[Node]:
    """The roots of a class map."""
    if raw is NOTHING:
        return []
    try:
        return _nodes_decoder.decode(raw)
    except _MALFORMED as error:
        problems.add("classMap is damaged", _said(error))
    value = _plain(Raw(raw))
    roots = value if isinstance(value, list) else []
    try:
        tolerated = [_tolerated(root, Node, problems) for root in roots if isinstance(root, dict)]
    except RecursionError:
        return []
    return [node for node in tolerated if isinstance(node, Node)]


def parameters_of(raw: Raw) -> list[Parameter]:
    """Names and classes of parameters or of the parts of a message; none when they cannot be read."""
    if raw is NOTHING:
        return []
    try:
        return _parameters_decoder.decode(raw)
    except _MALFORMED:
        return []


def object_of(raw: Raw | bytes) -> dict[str, Any]:
    """A small JSON object as it is, {} when it is none."""
    try:
        value = msgspec.json.decode(raw) if raw is not NOTHING else None
    except _MALFORMED:
        value = _plain(Raw(raw))
    return value if isinstance(value, dict) else {}


def text_of(raw: Raw) -> str:
    """A text, or a number as text; "" when it is neither."""
    value = _plain(raw) if raw is not NOTHING else None
    return str(value) if isinstance(value, str | int | float) else ""


def value_of(data: bytes) -> Any:
    """Any JSON value; raises ValueError when it is none."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(_said(error)) from error
