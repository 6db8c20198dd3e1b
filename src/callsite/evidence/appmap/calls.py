"""Who called whom, and what happened beneath whom? Events in, call tree and tallies out; texts are not cleaned here.

Calls of different threads interleave; a call without a return ends with the call that it lies in; a promise returns
after its caller did, and an exception that it brings still belongs to the stack that made it.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable

from callsite.evidence.appmap.document import Event, HttpRequest, Sql, Thrown
from callsite.evidence.appmap.problems import Problems

_MOST_PLACES = 20_000
_MOST_THROWS = 5_000
_MOST_REQUESTS = 5_000
_MOST_BENEATH = 200
_MOST_STACK = 50
_MOST_STEPS = 400  # down a stack, where frames that are no functions lie between
_FAR = 1_000_000_000
_NO_REQUEST = HttpRequest()


class Frame:
    """A call that has not returned."""

    __slots__ = ("depth", "event", "node", "on_stack", "parent", "place", "request", "thread")

    def __init__(self, event: int, thread: object, parent: Frame | None, *, place: int, node: int, depth: int) -> None:
        self.event = event
        self.thread = thread
        self.parent = parent
        self.place = place  #: position of the function, -1 for a request or query
        self.node = node  #: of the call tree: its own, or for a request or query that of the function around it
        self.depth = depth  #: functions on the stack, with itself
        self.request: int = parent.request if parent else -1  #: position of the served request around it
        self.on_stack = True

    def functions(self) -> tuple[int, ...]:
        """Positions of the functions on the stack, innermost first."""
        found: list[int] = []
        frame: Frame | None = self
        for _ in range(_MOST_STEPS):
            if frame is None or len(found) == _MOST_STACK:
                break
            if frame.place >= 0:
                found.append(frame.place)
            frame = frame.parent
        return tuple(found)


class Throw:
    """An exception on its way up."""

    __slots__ = ("caught_by", "event", "node", "stack", "thrown")

    def __init__(self, thrown: Thrown, frame: Frame) -> None:
        self.thrown = thrown
        self.stack = frame.functions()
        self.node = frame.node  #: of the call tree, -1 when no function was around
        self.event = frame.event
        self.caught_by = -1


class Issued:
    """A request that was served or sent, or a query, with all the times that it was issued."""

    __slots__ = ("event", "functions", "n_times", "request", "requests", "stack", "status")

    def __init__(self, frame: Frame, request: HttpRequest) -> None:
        self.request = request  #: as recorded; empty for a query
        self.event = frame.event
        self.stack = frame.functions()
        self.functions: dict[int, int] = {}  #: with their depth, as far as that is told
        self.requests: dict[int, None] = {}
        self.status = 0
        self.n_times = 0

    def again(self, frame: Frame) -> None:
        """It was issued from this frame."""
        self.n_times += 1
        around = frame
        while around.place < 0 and around.parent is not None and around.parent.node == frame.node:
            around = around.parent
        if around.place >= 0 and len(self.functions) < _MOST_STACK:
            self.functions.setdefault(around.place, 0)
        if frame.request >= 0 and len(self.requests) < _MOST_STACK:
            self.requests.setdefault(frame.request)


class CallTree:
    """Everything that the events of a recording tell, taken one by one.

    `place_of` and `query_of` give the position of a function or query, new ones the next, -1 for what is not kept.
    """

    def __init__(self, problems: Problems, *, place_of: Callable[[Event], int], query_of: Callable[[Sql], int]) -> None:
        self._place_of = place_of
        self._query_of = query_of
        self._problems = problems
        self._top: dict[object, Frame | None] = {}
        self._open: dict[int, tuple[Frame, Issued | None]] = {}
        self._flying: dict[Frame, list[Throw]] = {}  #: by the call that can catch them
        self._returned: set[int] = set()
        self.parents = array("i")  #: of each function call, -1 at the bottom of a stack
        self.places = array("i")
        self.counts: Counter[int] = Counter()
        self.depths: dict[int, int] = {}
        self.edges: Counter[tuple[int, int]] = Counter()
        self.throws: list[Throw] = []
        self.served: list[Issued] = []
        self.sent: list[Issued] = []
        self.queries: dict[int, Issued] = {}
        self.n_events = 0

    def take(self, event: Event) -> None:
        """The next event."""
        self.n_events += 1
        if event.event == "call":
            self._call(event)
        elif event.event == "return":
            self._return(event)
        else:
            self._problems.add("an event is neither call nor return", "left out")

    def _call(self, event: Event) -> None:
        parent = self._top.get(event.thread_id)
        issued = None
        if event.sql_query is not None:
            frame = self._plain_frame(event, parent)
            self._query(event.sql_query, frame)
        elif event.http_server_request is not None:
            frame = self._plain_frame(event, parent)
            issued = self._request(event.http_server_request, frame, self.served)
            frame.request = len(self.served) - 1
        elif event.http_client_request is not None:
            frame = self._plain_frame(event, parent)
            issued = self._request(event.http_client_request, frame, self.sent)
        else:
            frame = self._function(event, parent)
        self._top[event.thread_id] = frame
        self._open[event.id] = frame, issued

    def _plain_frame(self, event: Event, parent: Frame | None) -> Frame:
        """The frame of something that is no function, or of a function that is not kept."""
        node, depth = (parent.node, parent.depth) if parent else (-1, 0)
        return Frame(event.id, event.thread_id, parent, place=-1, node=node, depth=depth)

    def _query(self, sql: Sql, frame: Frame) -> None:
        index = self._query_of(sql)
        if index < 0:
            return
        if index not in self.queries:
            self.queries[index] = Issued(frame, _NO_REQUEST)
        self.queries[index].again(frame)

    def _request(self, part: HttpRequest, frame: Frame, kept: list[Issued]) -> Issued | None:
        if len(kept) >= _MOST_REQUESTS:
            self._problems.add("too many requests", f"only {_MOST_REQUESTS} were kept")
            return None
        kept.append(Issued(frame, part))
        kept[-1].again(frame)
        return kept[-1]

    def _function(self, event: Event, parent: Frame | None) -> Frame:
        place = self._place_of(event)
        if place < 0 or (place not in self.counts and len(self.counts) >= _MOST_PLACES):
            if place >= 0:
                self._problems.add("too many functions", f"only {_MOST_PLACES} were kept")
            return self._plain_frame(event, parent)
        around, below = (parent.node, parent.depth) if parent else (-1, 0)
        frame = Frame(event.id, event.thread_id, parent, place=place, node=len(self.parents), depth=below + 1)
        self.parents.append(around)
        self.places.append(place)
        self.counts[place] += 1
        if below < self.depths.get(place, _FAR):
            self.depths[place] = below
        if around >= 0:
            self.edges[self.places[around], place] += 1
        if frame.request >= 0:
            beneath = self.served[frame.request].functions
            if len(beneath) < _MOST_BENEATH:
                beneath.setdefault(place, below)
        return frame

    def _return(self, event: Event) -> None:
        known = self._opened(event)
        if known is None:
            twice = event.parent_id in self._returned
            self._problems.add("a call returns twice" if twice else "a return belongs to no call", "left out")
            return
        frame, issued = known
        self._returned.add(frame.event)
        self._leave(frame)
        response = event.http_server_response or event.http_client_response
        if issued is not None and response is not None:
            issued.status = response.status_code or response.status
        self._end(frame, event.exceptions or [])

    def _opened(self, event: Event) -> tuple[Frame, Issued | None] | None:
        """The call that an event returns from; without a `parent_id` the last one of its thread."""
        if event.parent_id is not None:
            return self._open.pop(event.parent_id, None)
        frame = self._top.get(event.thread_id)
        return self._open.pop(frame.event, None) if frame else None

    def _leave(self, frame: Frame) -> None:
        """The frame and everything above it end; nothing happens when it has ended before."""
        if not frame.on_stack:
            return
        above = self._top.get(frame.thread)
        while above is not None and above is not frame:
            above.on_stack = False
            above = above.parent
        frame.on_stack = False
        self._top[frame.thread] = frame.parent

    def _end(self, frame: Frame, thrown: list[Thrown]) -> None:
        """What was raised beneath the frame is caught by it or goes on, and the frame may raise something new."""
        goes_on = False
        for throw in self._flying.pop(frame, ()):
            if thrown and _same(throw.thrown, thrown[0]):
                goes_on = True
                self._fly(throw, frame)
            elif frame.place >= 0:
                throw.caught_by = frame.place
            elif not thrown:
                self._fly(throw, frame)
        if goes_on:
            return
        for index, one in enumerate(thrown[:4]):
            self._raise(one, frame, is_cause=index > 0)

    def _raise(self, thrown: Thrown, frame: Frame, *, is_cause: bool) -> None:
        if len(self.throws) >= _MOST_THROWS:
            self._problems.add("too many exceptions", f"only the first {_MOST_THROWS} were read")
            return
        throw = Throw(thrown, frame)
        self.throws.append(throw)
        if not is_cause:
            self._fly(throw, frame)

    def _fly(self, throw: Throw, frame: Frame) -> None:
        if frame.parent is not None:
            self._flying.setdefault(frame.parent, []).append(throw)

    def distances(self, sources: dict[int, int]) -> dict[int, int]:
        """Smallest number of calls between each function and the nearest source (node → its own distance)."""
        parents, distance = self.parents, array("i", [_FAR]) * len(self.parents)
        for node, own in sources.items():
            distance[node] = min(own, distance[node])
        for node in range(len(parents) - 1, -1, -1):
            parent = parents[node]
            if parent >= 0 and distance[node] + 1 < distance[parent]:
                distance[parent] = distance[node] + 1
        nearest: dict[int, int] = {}
        for node, parent in enumerate(parents):
            if parent >= 0 and distance[parent] + 1 < distance[node]:
                distance[node] = distance[parent] + 1
            place = self.places[node]
            if distance[node] < nearest.get(place, _FAR):
                nearest[place] = distance[node]
        return nearest

    def last_calls(self, *, at_most: int) -> dict[int, int]:
        """The last calls at the bottom of a stack, by nodes; the very last has distance 1, the one before it 2."""
        roots = [node for node, parent in enumerate(self.parents) if parent < 0][-at_most:]
        return {node: len(roots) - index for index, node in enumerate(roots)}


def _same(one: Thrown, other: Thrown) -> bool:
    if one.object_id is not None and one.object_id == other.object_id:
        return True
    return one.class_ == other.class_ and one.message == other.message
