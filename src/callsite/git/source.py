"""What lies at a path: a work tree, a bare repository or a plain folder; it must not know what these show."""

from __future__ import annotations

import os

from callsite.errors import SourceError
from callsite.git import layout, revisions
from callsite.values import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A place that code is read from; all paths in it are absolute and real."""

    kind: str  #: worktree, bare, folder
    root: str  #: top of the work tree, the bare repository, the folder
    git_dir: str = ""
    common_dir: str = ""  #: shared by all linked work trees, "" for a folder
    focus: str = ""  #: the file or directory that was asked for, relative to root, "" for root itself
    commit: str = ""  #: full id of the commit to show, "" = what the work tree holds now
    note: str = ""  #: why a repository is read as a plain folder

    @property
    def key(self) -> str:
        """The same for all views that can share an index: linked work trees, commits, sub-directories."""
        return self.common_dir or self.root

    @property
    def view(self) -> str:
        """Tells the views of one key apart."""
        return self.commit or self.root


def discover(path: str | os.PathLike[str], *, commit: str = "") -> Source:
    """What lies at a path, which may be a file or directory inside of it.

    A commit (any revision that git understands) fixes the view; a bare repository shows its HEAD without one. Raises
    SourceError if the path is missing or unreadable, or the commit is unknown; GitError if git is needed and fails.
    """
    asked = os.path.realpath(os.fsdecode(path))
    directory = asked if os.path.isdir(asked) else os.path.dirname(asked)
    _require(asked, directory)
    found = layout.locate(directory)
    if found is None or found.broken:
        return _folder(asked, directory, found, commit)
    if not found.work_tree:
        return _bare(found, commit or "HEAD", required=bool(commit))
    source = _repository("worktree", found.work_tree, found, _relative(asked, found))
    return replace(source, commit=revisions.resolve(source, commit)) if commit else source


def _require(asked: str, directory: str) -> None:
    if not os.path.lexists(asked):
        raise SourceError(f"{_shown(asked)} does not exist; name a file or directory that does")
    if not os.access(directory, os.R_OK | os.X_OK):
        raise SourceError(f"{_shown(directory)} cannot be read; give yourself permission to read it")


def _folder(asked: str, directory: str, found: layout.Layout | None, commit: str) -> Source:
    if commit:
        reason = found.broken if found else "no git repository is around it"
        raise SourceError(f"{_shown(asked)} has no commit {_shown(commit)}: {reason}")
    root = found.work_tree if found else directory
    note = f"read as a plain folder: {found.broken}" if found else ""
    return Source(kind="folder", root=root, focus=_below(asked, root), note=note)


def _bare(found: layout.Layout, commit: str, *, required: bool) -> Source:
    source = _repository("bare", found.git_dir, found, "")
    if required:
        return replace(source, commit=revisions.resolve(source, commit))
    return replace(source, commit=revisions.resolve_all(source, [commit])[0])


def _repository(kind: str, root: str, found: layout.Layout, focus: str) -> Source:
    return Source(kind=kind, root=root, git_dir=found.git_dir, common_dir=found.common_dir, focus=focus)


def _relative(asked: str, found: layout.Layout) -> str:
    """The asked path inside the work tree; the whole tree for a path in its git directory or outside of it."""
    inside_git = _is_below(asked, found.git_dir) or _is_below(asked, found.common_dir)
    return "" if inside_git or not _is_below(asked, found.work_tree) else _below(asked, found.work_tree)


def _is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def _below(path: str, root: str) -> str:
    return "" if path == root else os.path.relpath(path, root).replace(os.sep, "/")


def _shown(text: str) -> str:
    """Fit for one line of a terminal, whatever bytes the name has."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8") if text.isprintable() else ascii(text)
