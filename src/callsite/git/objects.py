"""What do commits and blobs hold, read from the object store; it must not know of the work tree."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator

from callsite.errors import GitError
from callsite.git import process, revisions
from callsite.git.source import Source
from callsite.values import TYPE_CHECKING, dataclass

if TYPE_CHECKING:
    from typing import IO

#: Modes that are not regular files.
LINK_MODE = 0o120000
SUBMODULE_MODE = 0o160000

UNKNOWN_SIZE = -1

#: From here on `GIT_NO_LAZY_FETCH` keeps git from asking the remote for a missing object.
_OBEYS_NO_LAZY_FETCH = (2, 45)

_PIECE = 1 << 16


#: Name and bytes of one object after the other.
Contents = Generator[tuple[str, bytes | None], None, None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeEntry:
    """A path of a commit; links and submodules come too, told by their mode."""

    path: str
    mode: int
    blob: str
    size: int = UNKNOWN_SIZE  #: bytes, UNKNOWN_SIZE for submodules and where it costs a fetch

    @property
    def regular(self) -> bool:
        """Whether it is a file with content of its own."""
        return self.mode not in (LINK_MODE, SUBMODULE_MODE)


def tree(source: Source, commit: str) -> Iterable[TreeEntry]:
    """Everything in a commit (full id), in git's order; GitError if it cannot be read.

    The sizes cost 4 µs a file, twice the rest (.55 s against .2 s for 100,000 files); a partial clone has none.
    """
    sizes = () if _is_partial(source) else ("-l",)
    found = _checked(source, "ls-tree", "-r", "-z", "--full-tree", *sizes, revisions.require_id(commit))
    return [_tree_entry(line) for line in found.split("\0")[:-1]]


def diff(source: Source, old: str, new: str) -> tuple[dict[str, TreeEntry], set[str]]:
    """What a commit (full id) has other than an older one, by path, and the paths that it lacks.

    Renames are a removal and an addition; sizes are unknown. GitError if one of them cannot be read.
    """
    ids = (revisions.require_id(old), revisions.require_id(new))
    options = ("-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", "--ignore-submodules=none")
    fields = _checked(source, "diff-tree", *options, *ids).split("\0")[:-1]
    changed: dict[str, TreeEntry] = {}
    removed: set[str] = set()
    for fact, path in zip(fields[::2], fields[1::2], strict=True):
        _, mode, _, blob, status = fact.split(" ")
        if status == "D":
            removed.add(path)
        else:
            changed[path] = TreeEntry(path=path, mode=int(mode, 8), blob=blob)
    return changed, removed


def blobs(source: Source, ids: Iterable[str], *, max_size: int | None = None) -> Contents:
    """The bytes of each blob (full id), in the order asked; None for one that is missing or larger than max_size.

    One process serves all; it is stopped when the iterator is closed early. Nothing is fetched from a remote.
    """
    wanted = [revisions.require_id(one) for one in ids]
    present = _local(source) if wanted and _is_partial(source) and _fetches_lazily() else None
    asked = wanted if present is None else [one for one in wanted if one in present]
    answers = _contents(source, asked, max_size)
    try:
        for one in wanted:
            yield one, (next(answers)[1] if present is None or one in present else None)
    finally:
        answers.close()


def at_commit(source: Source, paths: Iterable[str], max_size: int) -> Contents:
    """The bytes at paths of the source's commit, None where there is no file."""
    names = [f"{source.commit}:{path}" for path in paths if "\n" not in path]
    for name, data in _contents(source, names, max_size):
        yield name.partition(":")[2], data


def blob_id(data: bytes, algorithm: str = "sha1") -> str:
    """The id that git gives to these bytes; algorithm is sha1 or sha256, as the repository has it."""
    text = b"blob %d\0" % len(data) + data
    return _sha1(text) if algorithm == "sha1" else _hashed(algorithm, text)


def hidden_by_sparse(source: Source) -> frozenset[str]:
    """The paths that a sparse checkout keeps out of the work tree; no process runs where none is set up."""
    if source.kind != "worktree" or source.commit or not os.path.exists(f"{source.git_dir}/info/sparse-checkout"):
        return frozenset()
    return frozenset(line[2:] for line in _checked(source, "ls-files", "-t", "-z").split("\0") if line.startswith("S "))


def _sha1(text: bytes) -> str:
    """From Python's own code where it is there: `hashlib` loads all of OpenSSL, 3 ms of a search after an edit."""
    try:
        from _sha1 import sha1  # type: ignore[import-not-found]
    except ImportError:
        return _hashed("sha1", text)
    return str(sha1(text, usedforsecurity=False).hexdigest())


def _hashed(algorithm: str, text: bytes) -> str:
    import hashlib

    return hashlib.new(algorithm, text, usedforsecurity=False).hexdigest()


def _checked(source: Source, *arguments: str) -> str:
    found = process.run(revisions.directory(source), *arguments)
    if found.code:
        raise GitError(f"git {arguments[0]} failed in {source.root}: {process.complaint(found)}")
    return os.fsdecode(found.out)


def _tree_entry(line: str) -> TreeEntry:
    facts, path = line.split("\t", 1)
    mode, _, blob, *size = facts.split()
    known = size[0] if size and size[0].isdigit() else UNKNOWN_SIZE
    return TreeEntry(path=path, mode=int(mode, 8), blob=blob, size=int(known))


def _is_partial(source: Source) -> bool:
    """Whether objects may be missing on purpose, to be fetched when needed."""
    try:
        with open(os.path.join(source.common_dir, "config"), "rb") as file:
            text = file.read().lower()
    except OSError:
        return False
    return b"promisor" in text or b"partialclone" in text


def _fetches_lazily() -> bool:
    return process.version() < _OBEYS_NO_LAZY_FETCH


def _local(source: Source) -> frozenset[str]:
    """Every object that is here: older versions of git offer no other way to ask without fetching."""
    found = _checked(source, "cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname)")
    return frozenset(found.split("\n"))


def _contents(source: Source, names: list[str], max_size: int | None) -> Contents:
    """The answers in order. A damaged object ends git's process: it counts as missing and the next process goes on."""
    n_answered = 0
    while n_answered < len(names):
        rest, n_before = names[n_answered:], n_answered
        for answer in _answers(source, rest, max_size):
            yield rest[n_answered - n_before], answer
            n_answered += 1
        if n_answered < len(names):
            if n_answered == n_before:
                _checked(source, "rev-parse", "--git-dir")  # raises if it is not the object but the repository
            yield names[n_answered], None
            n_answered += 1


def _answers(source: Source, names: list[str], max_size: int | None) -> Iterator[bytes | None]:
    """What one process answers until it ends; a thread feeds it, so that neither side waits for the other."""
    import threading
    from subprocess import DEVNULL, PIPE, Popen

    place = revisions.directory(source)
    line, environment = process.command(place, "cat-file", "--batch", "--buffer"), process.surroundings(place)
    with Popen(line, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environment) as running:
        assert running.stdin and running.stdout
        feeder = threading.Thread(target=_feed, args=(running.stdin, names), daemon=True)
        feeder.start()
        try:
            for _ in names:
                if not (header := running.stdout.readline()):
                    return
                yield _content(running.stdout, header, max_size)
        except EOFError:
            return
        finally:
            running.kill()
            feeder.join()


def _feed(pipe: IO[bytes], names: list[str]) -> None:
    try:
        with pipe:
            pipe.write(os.fsencode("".join(f"{name}\n" for name in names)))
    except OSError:  # the reader has had enough and ended the process
        return


def _content(pipe: IO[bytes], header: bytes, max_size: int | None) -> bytes | None:
    """The bytes that follow a header, None if it announces none, another type or too many; EOFError if cut off."""
    facts = header.split()
    if len(facts) != 3 or not facts[2].isdigit():
        return None
    size = int(facts[2])
    if facts[1] == b"blob" and (max_size is None or size <= max_size):
        data = pipe.read(size + 1)
        if len(data) != size + 1:
            raise EOFError
        return data[:-1]
    _skip(pipe, size + 1)
    return None


def _skip(pipe: IO[bytes], n_bytes: int) -> None:
    while n_bytes:
        piece = pipe.read(min(n_bytes, _PIECE))
        if not piece:
            raise EOFError
        n_bytes -= len(piece)
