"""Which files does a folder without git show; it must not read their content, only ignore files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from callsite.git import files, ignore
from callsite.git.files import Dirty
from callsite.git.patterns import Patterns
from callsite.types import Skipped

#: Where version control keeps its own data.
NEVER = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", ".sl", "_darcs", "CVS"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """What was found below a folder."""

    files: dict[str, Dirty]
    skipped: tuple[Skipped, ...]
    notes: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class _Walk:
    root: str
    files: dict[str, Dirty] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


#: The rules that hold in a directory, nearest first: where their ignore file stands, and what it says.
_Rules = tuple[tuple[str, Patterns], ...]


def walk(root: str) -> Walked:
    """All regular files below root that no ignore file leaves out, by path.

    Symbolic links are skipped, to files too: a target inside the tree is found anyway, one outside is none of ours. A
    directory that cannot be read is noted.
    """
    state = _Walk(root=root)
    waiting: list[tuple[str, _Rules]] = [("", ())]
    while waiting:
        directory, rules = waiting.pop()
        waiting.extend(_enter(state, directory, rules))
    ordered = dict(sorted(state.files.items()))
    return Walked(files=ordered, skipped=tuple(state.skipped), notes=tuple(sorted(state.notes)))


def _enter(state: _Walk, directory: str, rules: _Rules) -> Iterator[tuple[str, _Rules]]:
    """Take in a directory's files; its sub-directories come back with the rules that hold in them."""
    entries = _entries(state, directory)
    own = _own_rules(state.root, directory, {entry.name for entry in entries})
    rules = (own, *rules) if own else rules
    prefix = f"{directory}/" if directory else ""
    for entry in entries:
        path = prefix + entry.name
        if entry.name in NEVER:
            continue
        if entry.is_dir(follow_symlinks=False):
            if not _ignored(rules, f"{path}/"):
                yield path, rules
        elif not _ignored(rules, path):
            _take(state, path, entry)


def _entries(state: _Walk, directory: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(os.path.join(state.root, directory)) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        state.notes.append(f"{directory or state.root} cannot be read: {error.strerror}")
        return []


def _own_rules(root: str, directory: str, names: set[str]) -> tuple[str, Patterns] | None:
    """The directory's own ignore files as one, so that the last of them has the last word."""
    present = [name for name in ignore.FOLDER_FILES if name in names]
    texts = (files.read(root, f"{directory}/{name}" if directory else name, ignore.LONGEST) for name in present)
    whole = b"\n".join(text for text in texts if isinstance(text, bytes))
    return (directory, Patterns(whole)) if whole else None


def _ignored(rules: _Rules, path: str) -> bool:
    for directory, patterns in rules:
        decided = patterns.decide(path[len(directory) + 1 :] if directory else path)
        if decided is not None:
            return decided
    return False


def _take(state: _Walk, path: str, entry: os.DirEntry[str]) -> None:
    try:
        found = files.from_stat(path, entry.stat(follow_symlinks=False))
    except OSError:  # gone since it was listed
        return
    if isinstance(found, Dirty):
        state.files[path] = found
    else:
        state.skipped.append(Skipped(path=path, reason=found.reason))
