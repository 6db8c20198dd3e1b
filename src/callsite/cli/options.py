"""Which commands and options are there? One table for reading lines, for help, completion and the reference page."""

from __future__ import annotations

from callsite.values import TYPE_CHECKING, dataclass

if TYPE_CHECKING:
    from typing import Any

COLOURS = ("auto", "always", "never")
SHELLS = ("bash", "zsh", "fish")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option of a command; without a metavar it is a flag."""

    names: tuple[str, ...]
    key: str  #: under which the value is found
    help: str
    metavar: str = ""
    default: str | None = ""
    repeats: bool = False  #: its value is the list of all that were given
    is_count: bool = False  #: its value is a whole number
    choices: tuple[str, ...] = ()
    is_form: bool = False  #: of those that say in which form the answer comes; one at most

    @property
    def label(self) -> str:
        """All its names: `-n/--limit`."""
        return "/".join(self.names)

    def unset(self) -> Any:
        """The value when it is not given."""
        return False if not self.metavar else [] if self.repeats else self.default


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what follows its name, what it does, the options that it takes."""

    words: str
    brief: str
    options: tuple[Option, ...]


HELP = Option(names=("-h", "--help"), key="help", help="tell this")
_SOURCE = (
    HELP,
    Option(names=("--in",), key="path", metavar="PATH", help="look in this checkout, directory, file"),
    Option(names=("--commit",), key="commit", metavar="REV", help="look at a commit instead of the files as they are"),
)
_FILTERS = (
    Option(
        names=("--lang",), key="lang", metavar="NAME", repeats=True,
        help="only files in this language; may be repeated",
    ),
    Option(
        names=("--path",), key="globs", metavar="GLOB", repeats=True,
        help="only paths that match, as in .gitignore; `!GLOB` excludes; may be repeated",
    ),
    Option(
        names=("--type",), key="types", metavar="TYPE", repeats=True,
        help="only file, class, function, imports, constant, section or lines; may be repeated",
    ),
)  # fmt: skip
_JSON = Option(names=("--json",), key="json", help="answer as one JSON object")
_SEARCH = (
    *_SOURCE,
    *_FILTERS,
    Option(
        names=("-n", "--limit"), key="limit", metavar="N", is_count=True, default=None,
        help="at most N hits (10; all that fit a budget)",
    ),
    Option(
        names=("--budget",), key="budget", metavar="N", is_count=True, default=None,
        help="whole texts, together at most N characters",
    ),
    Option(names=("--full",), key="full", help="show hits whole, not only the lines that match best"),
    Option(names=("--json",), key="json", is_form=True, help="answer as one JSON object"),
    Option(names=("--markdown",), key="markdown", is_form=True, help="answer as Markdown"),
    Option(names=("-l", "--files-only"), key="files_only", is_form=True, help="only the paths, best first"),
    Option(names=("--reasons", "--explain"), key="reasons", help="tell under each hit how its score comes about"),
    Option(names=("--no-index",), key="no_index", help="answer from what is indexed, without looking for changes"),
    Option(
        names=("--color",), key="color", metavar="WHEN", choices=COLOURS, default="auto", help="auto, always or never"
    ),
)  # fmt: skip
_RECORDINGS = Option(
    names=("--recordings",), key="recordings", metavar="PATH", repeats=True,
    help="AppMap recordings, folders of them or patterns, instead of the project's own; may be repeated",
)  # fmt: skip
_CONTEXT = (
    *_SOURCE,
    Option(
        names=("--trace",), key="traces", metavar="FILE", repeats=True,
        help="a file with stack traces, `-` for standard input; may be repeated",
    ),
    Option(
        names=("--test-output",), key="test_outputs", metavar="FILE", repeats=True,
        help="a file with what a test runner printed; may be repeated",
    ),
    Option(
        names=("--error",), key="errors", metavar="TEXT", repeats=True, help="an error message; may be repeated"
    ),
    _RECORDINGS,
    Option(
        names=("--budget",), key="budget", metavar="N", is_count=True, default=None,
        help="together at most N characters (16000)",
    ),
    Option(
        names=("--tokens",), key="tokens", metavar="N", is_count=True, default=None,
        help="together at most N tokens of a language model, three characters each",
    ),
    *_FILTERS,
    _JSON,
)  # fmt: skip
_EXPLAIN = (
    *_SOURCE,
    Option(names=("--at",), key="at", metavar="PATH[:LINE]", help="the place that is asked about"),
    *_FILTERS,
    _JSON,
)
_FILES = (
    *_SOURCE,
    Option(names=("--skipped",), key="skipped", help="list what is not searched, each with the reason"),
    _JSON,
)
_STORE = Option(
    names=("--store",), key="store", metavar="NAME",
    help="a connection (see stores), or `local`; without it the active one, or local",
)  # fmt: skip
_OVERLAY = (
    Option(
        names=("--project",), key="project", metavar="N", is_count=True, default=None,
        help="the number of a project in a store",
    ),
    Option(
        names=("--overlay",), key="overlay", metavar="NAME",
        help="of a project: a branch or work tree, kept as what it has other than the base",
    ),
)  # fmt: skip
_INDEX = (
    *_SOURCE,
    _JSON,
    Option(
        names=("--store",), key="store", metavar="NAME",
        help="bring the chunks in this store to a commit instead: a connection (see stores), or `local`",
    ),
    *_OVERLAY,
    Option(names=("--from",), key="from_commit", metavar="REV", help="the commit that the store shows now"),
    Option(names=("--to",), key="to", metavar="REV", help="the commit that it is to show (HEAD)"),
    Option(names=("--work-tree",), key="work_tree", help="an overlay of the files as they are, not of a commit"),
    Option(names=("--force",), key="force", help="read everything, also what did not change"),
)  # fmt: skip
_QUERY = (
    HELP,
    _STORE,
    *_OVERLAY,
    Option(names=("--collection",), key="collection", metavar="NAME", default="code_chunks", help="code_chunks"),
    Option(
        names=("-n", "--limit"), key="limit", metavar="N", is_count=True, default=None, help="at most N documents (10)"
    ),
    Option(names=("--json",), key="json", help="one JSON object for each document"),
)
_EMBED = (
    HELP,
    _STORE,
    Option(names=("--model",), key="model", metavar="NAME", help="the model's name, as its server calls it"),
    Option(names=("--url",), key="url", metavar="URL", help="a server that speaks like OpenAI, up to /v1"),
    Option(names=("--key",), key="key", metavar="@FILE", help="a file with the key, `-` for standard input"),
    Option(names=("--dims",), key="dims", metavar="N", is_count=True, default=None, help="dimensions of its vectors"),
    Option(
        names=("--price",), key="price", metavar="N", is_count=True, default=None,
        help="of a million tokens, in the smallest coin",
    ),
    _JSON,
)  # fmt: skip
_CLEAR = (HELP, Option(names=("--in",), key="path", metavar="PATH", help="a path in the checkout"))

COMMANDS = {
    "search": Command("QUERY… [PATH]", "find the code that answers a question, best first", _SEARCH),
    "context": Command("QUERY… [PATH]", "pack the code that matters for a question and for a run", _CONTEXT),
    "evidence": Command("FILE", "tell what a trace or recording says, and where it lands", (*_SOURCE, _JSON)),
    "recordings": Command("[PATH]", "list the recordings of a project", (*_SOURCE, _RECORDINGS, _JSON)),
    "index": Command("[PATH]", "bring the index up to date, or the chunks in a store", _INDEX),
    "status": Command("[PATH]", "tell what the index shows, changing nothing", (*_SOURCE, _JSON)),
    "files": Command("[PATH]", "list the files that are searched", _FILES),
    "chunk": Command("PATH…", "write the chunks of files as JSON lines, without an index", (HELP,)),
    "explain": Command("QUERY… --at PATH[:LINE] [PATH]", "tell why a place is in the answer, or why not", _EXPLAIN),
    "query": Command("QUERY", "ask a store in the query language", _QUERY),
    "embed": Command("[plan | run]", "give the chunks of a store vectors of a model", _EMBED),
    "migrations": Command(
        "[status | run | retry]", "bring the collections of a store up to date", (HELP, _STORE, _JSON)
    ),
    "stores": Command("[VERB NAME…]", "connections to stores: list, add, use, check, copy, forget", (HELP, _JSON)),
    "clear": Command("[PATH]", "remove the index of a repository", _CLEAR),
    "completion": Command("SHELL", "write a completion script for bash, zsh or fish", (HELP,)),
}
