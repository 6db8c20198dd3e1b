"""Which files does a source show right now, told as the difference from its commit; it must not read any content."""

from __future__ import annotations

import os
from collections.abc import Iterator

from callsite.errors import GitError
from callsite.git import files, process, revisions
from callsite.git.files import Dirty
from callsite.git.source import Source
from callsite.types import Skipped
from callsite.values import dataclass, field

#: Submodules are reported by the tree and never entered; counting commits ahead of the remote can take seconds.
STATUS = ("status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--untracked-files=all", "--no-renames",
          "--ignore-submodules=all")  # fmt: skip

#: What git says on its error stream that is no problem.
CHATTER = ("hint:", "will be replaced by")

#: The mode that git writes for "no such file".
_NOTHING = "000000"

#: By the first character of an entry: how many fields stand before its path, which one is the mode in HEAD, which in
#: the work tree. A conflict has no mode of HEAD; its second stage, ours, comes closest.
_FIELDS = {"1": (8, 3, 5), "u": (10, 4, 6)}


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What a source shows: the files of head without those removed, under those changed."""

    head: str = ""  #: full id of the commit, "" if there is none: then every visible file is in `changed`
    branch: str = ""  #: "" when HEAD is detached or a fixed commit is shown
    changed: dict[str, Dirty] = field(default_factory=dict)
    removed: frozenset[str] = frozenset()  #: paths of head that show nothing, or no regular file
    skipped: tuple[Skipped, ...] = ()  #: links, nested repositories and special files that differ from head
    notes: tuple[str, ...] = ()


class PendingState:
    """A state being found out; the caller can do other things until it asks for the result."""

    def __init__(self, source: Source, running: process.Running | None, problem: str = "") -> None:
        self._source = source
        self._running = running
        self._problem = problem
        self._state: State | None = None

    def result(self, *, known: State | None = None) -> State:
        """The state; `known` itself if it equals that."""
        if self._state is None:
            self._state = self._found()
        return known if known == self._state and known is not None else self._state

    def _found(self) -> State:
        if self._running is None:
            return _without_git(self._source, self._problem)
        running, self._running = self._running, None
        finished = running.finish()
        if finished.code:
            return _without_git(self._source, _remedy(self._source, process.complaint(finished)))
        return read_status(self._source.root, finished)

    def __del__(self) -> None:
        if self._running is not None:
            self._running.abandon()


def begin_state(source: Source) -> PendingState:
    """Start finding out what a source shows: one git process for a work tree, nothing for the other kinds."""
    if source.kind != "worktree" or source.commit:
        return PendingState(source, None)
    try:
        return PendingState(source, process.start(revisions.directory(source), *STATUS))
    except GitError as error:
        return PendingState(source, None, str(error))


def state(source: Source, *, known: State | None = None) -> State:
    """What a source shows now; `known`, an earlier state, is returned itself if nothing differs from it.

    A work tree that git refuses to read (missing, too old, foreign owner, damaged) is read as a plain folder, and a
    note says why.
    """
    return begin_state(source).result(known=known)


def read_dirty(source: Source, path: str, max_size: int = files.LARGEST_READ) -> bytes | files.Problem:
    """The bytes of a work-tree file now, or why they cannot be had (gone, link, special, unreadable, too large)."""
    return files.read(source.root, path, max_size)


def read_status(root: str, finished: process.Finished) -> State:
    """The state that the output of `git status` (porcelain v2, zero-terminated) tells."""
    entries = os.fsdecode(finished.out).split("\0")[:-1]
    facts = dict(entry[9:].split(" ", 1) for entry in entries if entry.startswith("# branch."))
    changed: dict[str, Dirty] = {}
    removed: set[str] = set()
    skipped: dict[str, str] = {}
    for path, in_head, in_work_tree in _differences(entries):
        found = files.look(root, path) if in_work_tree else None
        if isinstance(found, Dirty):
            changed[path] = found
            continue
        if in_head:
            removed.add(path)
        if found and found.kind != "gone":
            skipped[path] = "another git repository" if path.endswith("/") else found.reason
    return State(
        head=facts["oid"].removeprefix("(initial)"),
        branch=facts["head"].removeprefix("(detached)"),
        changed=changed,
        removed=frozenset(removed - changed.keys()),
        skipped=tuple(Skipped(path=path, reason=reason) for path, reason in sorted(skipped.items())),
        notes=tuple(line for line in finished.problems if not any(chat in line for chat in CHATTER)),
    )


def _differences(entries: list[str]) -> Iterator[tuple[str, bool, bool]]:
    """Path, whether HEAD may have it, whether the work tree has it. One path can come twice: unstaged and untracked."""
    for entry in entries:
        if entry.startswith("? "):
            yield entry[2:], False, True
        elif entry[0] in _FIELDS:
            n_fields, head, work_tree = _FIELDS[entry[0]]
            fields = entry.split(" ", n_fields)
            yield fields[-1], fields[head] != _NOTHING, fields[work_tree] != _NOTHING


def _without_git(source: Source, problem: str) -> State:
    """The state of a source that no git process is asked about, or that git refused to read."""
    if source.commit or source.kind == "bare":
        return State(head=source.commit, notes=() if source.commit else ("this repository has no commit yet",))
    from callsite.git import folder

    walked = folder.walk(source.root)
    notes = (source.note or problem, *walked.notes)
    return State(changed=walked.files, skipped=walked.skipped, notes=tuple(filter(None, notes)))


def _remedy(source: Source, complaint: str) -> str:
    """The note for a work tree that git refused, with what to do about it where that is known."""
    text = f"read as a plain folder, git refused {source.root}: {complaint}"
    if "dubious ownership" in complaint or "unsafe repository" in complaint:
        # Git refuses because the owner's configuration could run programs here, so it is not overruled.
        return f"{text}; if you trust its owner: git config --global --add safe.directory {_quoted(source.root)}"
    return text


def _quoted(path: str) -> str:
    return "'" + path.replace("'", "'\\''") + "'"
