"""What does a server's refusal mean for the caller? Mapped here and nowhere else.

No message says anything of the connection's options: host, user and password are not ours to show.
"""

from __future__ import annotations

from collections.abc import Mapping

from callsite.errors import CollectionError, SettingsError, StoreError, StoreRefused, StoreUnreachable

#: The server is too busy, or a proxy before it has none to ask: the same request may succeed later.
BUSY = frozenset({429, 502, 503, 504})
_LONGEST_REASON = 200

_MEANINGS: dict[str, tuple[type[StoreError], str]] = {
    "index_not_found_exception": (CollectionError, "there is no collection of that name any more; somebody dropped it"),
    "cluster_block_exception": (StoreRefused, "it takes no writes, mostly for want of disk; make room and unblock it"),
    "search_context_missing_exception": (StoreUnreachable, "the answer took longer than its state was kept; try again"),
    "too_many_clauses": (StoreRefused, "the query is larger than indices.query.bool.max_clause_count; raise that"),
    "too_many_nested_clauses": (StoreRefused, "the query is deeper than the server's max_nested_depth; raise that"),
}
_BY_STATUS: dict[int, tuple[type[StoreError], str]] = {
    401: (StoreRefused, "it does not accept the credentials; look at the connection's options"),
    403: (StoreRefused, "the user has no right to do this; docs/how-to says which are needed"),
    413: (StoreRefused, "the request is larger than http.max_content_length; raise that"),
    429: (StoreUnreachable, "it is too busy; try again later"),
    502: (StoreUnreachable, "the proxy before it reaches no server; try again later"),
    503: (StoreUnreachable, "it is not ready; try again later"),
    504: (StoreUnreachable, "the proxy before it waited too long; try again later"),
}


class Unreached(Exception):
    """No answer came; whether the server did what was asked is not known."""


def refused_options(product: str) -> SettingsError:
    """The client can't be made; what it says itself may show what was given."""
    return SettingsError(
        f"{product}: the client does not take these options; look at hosts, credentials and certificates"
    )


def no_answer(product: str) -> StoreUnreachable:
    return StoreUnreachable(f"{product}: no answer in time; try again, or give the client a longer timeout")


def bad_certificate(product: str) -> StoreRefused:
    return StoreRefused(f"{product}: the certificate is not accepted; look at ca_certs and the address")


def unreadable(product: str) -> StoreError:
    return StoreError(f"{product}: the answer can't be read; look at what stands between here and the server")


def mapped(product: str, doing: str, status: int, body: object) -> StoreError:
    """The error that callers know, for an answer that is none."""
    kinds = kinds_in(body)
    known = next((_MEANINGS[kind] for kind in kinds if kind in _MEANINGS), None) or _BY_STATUS.get(status)
    if known:
        error, meaning = known
        return error(f"{product}, {doing}: {meaning}")
    return StoreError(f"{product}, {doing}: it answers {status}, {reason_in(body)}")


def kinds_in(body: object) -> tuple[str, ...]:
    """What the server calls its errors, and what caused them."""
    error = body.get("error") if isinstance(body, Mapping) else None
    if not isinstance(error, Mapping):
        return ()
    shards = [one.get("reason") for one in error.get("failed_shards") or () if isinstance(one, Mapping)]
    found: dict[str, None] = {}
    for one in (*shards, *(error.get("root_cause") or ()), error):
        while isinstance(one, Mapping):
            found[str(one.get("type"))] = None
            one = one.get("caused_by")
    return tuple(reversed(found))


def reason_in(body: object) -> str:
    """What the server says, on one line, cut before it shows any value."""
    error = body.get("error") if isinstance(body, Mapping) else None
    if not isinstance(error, Mapping):
        return "without a reason"
    root = next(iter(error.get("root_cause") or ()), error)
    return reason_of(root)


def reason_of(error: Mapping[str, object]) -> str:
    """The same for one error, as an item of a bulk request has it."""
    said = str(error.get("reason") or "no reason was given").partition("Preview of field's value")[0]
    said = "".join(letter if letter.isprintable() else " " for letter in said)
    return f"{error.get('type')}: {said[:_LONGEST_REASON]}"
