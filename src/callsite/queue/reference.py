"""What does a queue hold? A small pointer to what has to be looked at, never its content; as text and back, exactly."""

from __future__ import annotations

import json
from json.encoder import encode_basestring_ascii as quoted

from callsite.errors import QueryError
from callsite.values import dataclass

MOST_CHARACTERS = 2_000  # of a text; PostgreSQL's indexes take 2,704 bytes
MOST_ROUTING = 2**63


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Points at one thing of a collection; whether it is to be written or removed shows when it is processed."""

    kind: str  #: who handles it: a name that a worker knows, such as "chunk"
    collection: str
    routing: int | str
    id: str
    arguments: tuple[str, ...] = ()  #: what else the handler has to know, such as the field of vectors


def text_of(reference: Reference) -> str:
    """The one text of a reference, in ASCII; QueryError when it is none or too long to be kept."""
    if not _is_sound(reference):
        raise QueryError(
            "no reference: kind, collection, id and arguments are texts, a routing is an integer or a text"
        )
    text = _text_of(reference)
    if len(text) > MOST_CHARACTERS:
        raise QueryError(f"a reference has {len(text)} characters as text, at most {MOST_CHARACTERS} are kept")
    return text


def parsed(text: str) -> Reference | None:
    """The reference that has this text; None when none has."""
    try:
        kind, collection, routing, id_, *arguments = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return None
    found = Reference(kind=kind, collection=collection, routing=routing, id=id_, arguments=tuple(arguments))
    return found if _is_sound(found) and _text_of(found) == text else None


def routing_text(routing: int | str) -> str:
    """How a routing value is kept beside its references: 1 and "1" are two."""
    return quoted(routing) if isinstance(routing, str) else f"{routing:d}"


def _is_sound(one: Reference) -> bool:
    for part in (one.kind, one.collection, one.id, *one.arguments):
        if not isinstance(part, str):
            return False
    if isinstance(one.routing, int):
        return bool(one.kind) and not isinstance(one.routing, bool) and abs(one.routing) < MOST_ROUTING
    return bool(one.kind) and isinstance(one.routing, str)


def _text_of(one: Reference) -> str:
    """JSON without spaces; `json.dumps` makes an encoder each time, which takes five times as long."""
    rest = "".join([f",{quoted(part)}" for part in one.arguments])
    return f"[{quoted(one.kind)},{quoted(one.collection)},{routing_text(one.routing)},{quoted(one.id)}{rest}]"
