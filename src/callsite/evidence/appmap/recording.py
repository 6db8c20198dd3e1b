"""What does a recording say about its run? A value with everything that may be kept, and the door that reads one.

Values, headers, literals and the environment of the run are in none of these fields (see `secrets`, `sql`, `routes`).
Functions are named by their position in `Recording.calls`.
"""

from __future__ import annotations

import os

from callsite.values import dataclass

#: Bytes of the largest file that is read, unpacked; about a million events, which take half a minute.
MAX_BYTES = 256 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the metadata say; "" or 0 where they say nothing."""

    version: str = ""
    app: str = ""
    language: str = ""
    frameworks: tuple[str, ...] = ()
    recorder: str = ""  #: name of the recorder: pytest, requests
    recorder_type: str = ""  #: tests, requests, remote, process or code
    source_path: str = ""  #: where the recorded test or block is written
    source_line: int = 0
    test_status: str = ""  #: succeeded or failed
    failure_message: str = ""
    failure_path: str = ""
    failure_line: int = 0
    exception_class: str = ""  #: of the exception that ended the test
    exception_message: str = ""
    commit: str = ""
    timestamp: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether the recorded test failed."""
        return self.test_status == "failed" or bool(self.failure_message)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeObject:
    """A class or function of the class map."""

    fqid: str  #: `function:package/Class#method`, `.method` when static; `class:package/Class`
    kind: str  #: class or function
    path: str = ""
    line: int = 0
    static: bool = False
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A function that was called, at one place of the source."""

    fqid: str
    path: str = ""  #: as recorded, with `/`; "" for what has no source (built-in functions)
    line: int = 0  #: 0 when unknown; Python counts from the first decorator
    name: str = ""
    n_calls: int = 0
    depth: int = 0  #: functions beneath it on the stack, at least
    exception_distance: int = -1  #: calls between it and where an exception was raised, 0 = raised in it; -1 = none was
    failure_distance: int = -1  #: calls between it and what made the test fail; -1 = the test did not fail
    callers: tuple[int, ...] = ()  #: most frequent first
    callees: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """An exception, as often as it was raised from the same stack."""

    name: str  #: its class
    message: str = ""
    path: str = ""
    line: int = 0
    stack: tuple[int, ...] = ()  #: functions, innermost first
    caught_by: int = -1  #: the function that ended it; -1 = nobody who was recorded did
    ended_test: bool = False  #: it is the exception that the test failed with
    n_times: int = 1
    event: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An HTTP request that was served or sent."""

    side: str  #: server or client
    method: str
    route: str
    status: int = 0
    functions: tuple[
        int, ...
    ] = ()  #: of a server: those called for it, outermost first; of a client: those that sent it
    n_times: int = 1
    event: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """An SQL statement without its literals."""

    sql: str
    database_type: str = ""
    functions: tuple[int, ...] = ()  #: that issued it, each the innermost on the stack
    stack: tuple[int, ...] = ()  #: of its first time, innermost first
    requests: tuple[int, ...] = ()  #: positions in `Recording.requests` of those that it was issued for
    n_times: int = 1
    event: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One recording, understood; what could not be is named in `problems`."""

    file: str  #: as the caller names it
    name: str
    facts: Facts = Facts()
    labels: tuple[str, ...] = ()
    code_objects: tuple[CodeObject, ...] = ()
    calls: tuple[Call, ...] = ()
    exceptions: tuple[Raised, ...] = ()
    requests: tuple[Request, ...] = ()
    queries: tuple[Query, ...] = ()
    parameters: tuple[str, ...] = ()  #: names only
    parameter_classes: tuple[str, ...] = ()
    n_events: int = 0
    problems: tuple[str, ...] = ()


def read_recording(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> Recording:
    """The recording in a file, plain or gzipped; one with a problem and nothing else when it cannot be read.

    A file of more than `max_bytes`, as it is or unpacked, is not read.
    """
    from callsite.evidence.appmap.contents import Unreadable, contents_of

    file = os.fspath(path)
    try:
        data = contents_of(file, max_bytes=max_bytes)
    except Unreadable as error:
        return Recording(file=file, name=title_of(file), problems=(str(error),))
    return parse_recording(data, name=file)


def parse_recording(data: bytes, *, name: str) -> Recording:
    """The recording in the bytes of a file that the caller calls `name`; nothing is raised for bad input."""
    from callsite.evidence.appmap.reading import recording_of

    return recording_of(data, file=name)


def title_of(file: str) -> str:
    """What a recording without a name is called: its file without folders and endings."""
    title = os.path.basename(file).removesuffix(".gz").removesuffix(".json").removesuffix(".appmap")
    return title.encode("utf-8", "replace").decode()
