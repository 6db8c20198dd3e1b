"""What does a queue hold? A small pointer to what has to be looked at, never its content; as text and back, exactly."""

from __future__ import annotations

import json

from callsite.errors import QueryError
from callsite.values import dataclass

MOST_CHARACTERS = 2_000  # of a text; PostgreSQL's indexes take 2,704 bytes


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
    text = _text_of(reference)
    if parsed(text) != reference:
        raise QueryError(f"no reference: {text[:200]}; kind, collection and id are texts, a routing an integer or text")
    if len(text) > MOST_CHARACTERS:
        raise QueryError(f"a reference has {len(text)} characters as text, at most {MOST_CHARACTERS} are kept")
    return text


def parsed(text: str) -> Reference | None:
    """The reference that has this text; None when none has."""
    try:
        parts = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(parts, list) or len(parts) < 4:
        return None
    kind, collection, routing, *rest = parts
    if not all(isinstance(part, str) for part in (kind, collection, *rest)) or not kind:
        return None
    if not isinstance(routing, int | str) or isinstance(routing, bool):
        return None
    found = Reference(kind=kind, collection=collection, routing=routing, id=rest[0], arguments=tuple(rest[1:]))
    return found if _text_of(found) == text else None


def routing_text(routing: int | str) -> str:
    """How a routing value is kept beside its references: 1 and "1" are two."""
    return json.dumps(routing)


def _text_of(one: Reference) -> str:
    try:
        return json.dumps([one.kind, one.collection, one.routing, one.id, *one.arguments], separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise QueryError(f"no reference: {error}") from error
