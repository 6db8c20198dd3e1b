"""The vocabulary that every room speaks: frozen values, no behaviour beyond printing themselves.

Lines count from 1 and ranges include both ends. Offsets and lengths are bytes of the file as git stores it.
Paths are relative to the repository's root, written with `/`; bytes that are not UTF-8 appear as surrogate escapes.
"""

from __future__ import annotations

from callsite.values import dataclass

#: What a chunk is: whole small `file`, `class` (its head and fields), `function`, `imports`, `constant` (top-level
#: statements), `section` (a heading of a document, a block of a configuration), `lines` (cut without a syntax tree).
CHUNK_TYPES = ("file", "class", "function", "imports", "constant", "section", "lines")


#: A hit that is no code: a request or a statement of a recording.
DATA_REQUEST = "data-request"


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol:
    """A name that a chunk defines."""

    name: str  #: qualified inside its file: `Class.method`, `outer.inner`
    kind: str  #: class, function, constant, type, module, section
    line: int
    depth: int  #: 0 = top level of the file


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A chunk of one file's content, before anybody knows where that file lies."""

    type: str  #: one of CHUNK_TYPES
    name: str  #: qualified name of the innermost definition that holds the whole piece, "" at the top level
    first_line: int
    last_line: int
    start: int  #: byte offset in the file
    length: int  #: bytes
    symbols: tuple[Symbol, ...] = ()
    signature: str = ""  #: first line of the definition that this piece continues, "" if it opens it


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """The indexed unit: a span of one file."""

    id: str  #: sha256 of path, text and occurrence; the same everywhere
    path: str
    type: str
    name: str
    language: str
    first_line: int
    last_line: int
    source: str  #: `blob:offset:length:line`
    symbols: tuple[str, ...]
    signature: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A file that is not indexed, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One labelled part of a score; the parts of a hit add up to its score."""

    label: str
    value: float
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A span that answers, with the reasons of its rank."""

    path: str
    first_line: int
    last_line: int
    type: str  #: one of CHUNK_TYPES, or DATA_REQUEST: then `path` is that of a recording, and lines are 0
    name: str
    language: str
    score: float
    reasons: tuple[Reason, ...]
    source: str
    text: str
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """What state of the repository an answer was given from."""

    commit: str = ""  #: full id of the commit that the view rests on, "" without git
    branch: str = ""
    n_files: int = 0
    n_changed: int = 0  #: files that differ from the commit (staged, unstaged, untracked, removed)
    n_behind: int = 0  #: changed files that the answer does not know yet
    n_skipped: int = 0
    notes: tuple[str, ...] = ()  #: repairs, another writer at work, unreadable files, limits met


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """A frame or a recorded function, and the place that it means."""

    written: str  #: path and line as printed or recorded; of a frame without a path its type
    function: str
    path: str = ""  #: "" = nowhere in this tree, and `note` says why
    first_line: int = 0  #: 0 = the file as a whole
    last_line: int = 0
    weight: float = 0.0  #: 0 to 1
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """What was understood of one stack trace, failing test or recording, or what was not read of a text."""

    kind: str  #: trace, test, recording or text
    title: str  #: class and message of the error; name of the test or recording
    landings: tuple[Landing, ...]  #: of a trace innermost first, of a recording heaviest first; of a test its own first
    language: str = ""  #: of a test its runner
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRecording:
    """A recording of a project and what it would add to a question."""

    path: str
    name: str
    state: str  #: fresh; out of date; gone, when only AppMap's index of it is left
    n_functions: int = 0
    n_exceptions: int = 0
    n_requests: int = 0
    n_queries: int = 0
    test_status: str = ""  #: succeeded, failed, "" when it is no test
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingUse:
    """A recording that was chosen for a question."""

    path: str
    name: str
    score: float  #: 0 to 1
    is_stale: bool = False  #: a file that it went through was changed after it; it counts less
    matched: tuple[str, ...] = ()  #: terms of the question, those that say most first
    n_alike: int = 0  #: recordings that went the same ways and are not used
    reasons: tuple[Reason, ...] = ()  #: the match, and the factors on it


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The hits of one question, best first, and how fresh they are."""

    question: str
    hits: tuple[Hit, ...]
    freshness: Freshness
    terms: tuple[str, ...] = ()  #: words that were looked for, as they are highlighted
    recordings: tuple[RecordingUse, ...] = ()  #: that chose and boosted code, best first


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a place is, or is not, in the answer to a question."""

    path: str
    line: int  #: 0 = the file as a whole
    verdict: str  #: one sentence
    rank: int = 0  #: of the place among all hits, from 1; 0 = it is none
    hit: Hit | None = None  #: the hit that holds the place, or the best one of its file
    first: Hit | None = None  #: what leads the answer, to compare with
    matched: tuple[str, ...] = ()  #: terms of the question that the file holds
    missing: tuple[str, ...] = ()  #: those that it does not
