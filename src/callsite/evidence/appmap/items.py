"""Which requests and statements do recordings hold, as things to be found? Each once, with the code behind it.

An item is what a search ranks beside code: its text is searched, its functions are shown. Nothing in it is a value of
the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from callsite.evidence.appmap.entry import CLIENT_WORDS, QUERY_WORDS, SERVER_WORDS, Entry, Function, function_at
from callsite.evidence.appmap.recording import Query, Request
from callsite.values import dataclass, replace

_MOST_FUNCTIONS = 8
_MOST_ROUTES = 4

#: Words of a kind, for questions like "which SQL runs when a user logs in".
_WORDS = {"query": QUERY_WORDS, "server": SERVER_WORDS, "client": CLIENT_WORDS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A request that was served (`server`) or sent (`client`), or a `query`."""

    kind: str
    title: str  #: `GET /items/{id} (404)`, or the statement
    text: str  #: everything that it can be found by
    functions: tuple[
        Function, ...
    ]  #: a request's: called for it or sending it; a query's: issuing it, then its callers
    file: str  #: of the recording where it was seen first
    event: int  #: there; 0 when only the index of the recording was read
    n_times: int  #: in all recordings
    positions: tuple[int, ...]  #: of the entries that hold it


def items_of(positions: Iterable[int], entries: Sequence[Entry]) -> tuple[Item, ...]:
    """The items of some entries in order; what several recordings hold is one."""
    found: dict[tuple[str, str], Item] = {}
    for position in positions:
        for item in _items(entries[position], position):
            key = item.kind, item.title
            found[key] = _merged(found[key], item) if key in found else item
    return tuple(found.values())


def _merged(one: Item, other: Item) -> Item:
    functions = tuple(dict.fromkeys(one.functions + other.functions))[:_MOST_FUNCTIONS]
    positions = tuple(dict.fromkeys(one.positions + other.positions))
    return replace(one, functions=functions, positions=positions, n_times=one.n_times + other.n_times)


def _items(entry: Entry, position: int) -> Iterator[Item]:
    for request in entry.requests:
        yield _item(entry, position, request.side, _request_title(request), request.functions, request)
    for query in entry.queries:
        routes = [_request_title(entry.requests[index]) for index in query.requests[:_MOST_ROUTES]]
        functions = query.functions + query.stack
        yield _item(entry, position, "query", query.sql, functions, query, also=routes)


def _request_title(request: Request) -> str:
    status = f" ({request.status})" if request.status else ""
    return f"{request.method} {request.route}{status}".strip()


def _item(
    entry: Entry,
    position: int,
    kind: str,
    title: str,
    functions: Iterable[int],
    seen: Request | Query,
    *,
    also: Sequence[str] = (),
) -> Item:
    named = [function_at(entry.places[index]) for index in dict.fromkeys(functions)][:_MOST_FUNCTIONS]
    said = [title, _WORDS[kind], *also, *(function.name for function in named), entry.name]
    return Item(
        kind=kind,
        title=title,
        text="\n".join(said),
        functions=tuple(function for function in named if function.path),
        file=entry.file,
        event=seen.event,
        n_times=seen.n_times,
        positions=(position,),
    )
