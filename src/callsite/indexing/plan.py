"""Which files should a view show, and how do they differ from what the index has? Reads git and the catalogue only."""

from __future__ import annotations

import os
from collections.abc import Iterable

from callsite import git
from callsite.errors import GitError, SourceError
from callsite.index.catalogue import Catalogue
from callsite.indexing.choose import Chooser, Want
from callsite.text.digest import digest
from callsite.values import dataclass

_KIND_OF_MODE = {0o120000: "symbolic link", 0o160000: "submodule: search it by its own path"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to take in, and what base and view will show afterwards."""

    old_base: str  #: commit that the base shows now, "" without one
    base: str  #: commit that it will show
    base_wants: tuple[Want, ...] = ()
    base_removed: frozenset[str] = frozenset()
    overlay_wants: tuple[Want, ...] = ()
    overlay_removed: frozenset[str] = frozenset()
    moves_base: bool = False
    rules: str = ""
    n_changed: int = 0
    notes: tuple[str, ...] = ()


def make_plan(
    source: git.Source, state: git.State, catalogue: Catalogue, chooser: Chooser, *, view: int | None, n_views: int
) -> Plan:
    """Compare a state of the source with the catalogue."""
    old_base = catalogue.meta("base")
    alone = n_views == 0 or (n_views == 1 and view is not None)
    same_rules = catalogue.meta("rules") == chooser.signature
    usable = bool(old_base) and (state.head in ("", old_base) or _exists(source, old_base))
    base = _choose_base(source, state, old_base if usable else "", may_move=same_rules or alone)
    rebuild = bool(base) and (not usable or (alone and not same_rules))
    base_wants: list[Want] = []
    base_removed: set[str] = set()
    if rebuild:
        base_wants = _wants_of_tree(source, base, chooser)
        base_removed = _paths_of_base(catalogue) - {want.path for want in base_wants}
    elif base != old_base:
        changed, removed = git.diff(source, old_base, base)
        base_wants, base_removed = wants_of_entries(changed.values(), chooser), set(removed)
    rules = chooser.signature if rebuild else catalogue.meta("rules")
    shown: dict[str, Want | None] = {}
    if base and not state.head:  # nothing is committed here, or git can't be asked: the base shines through nowhere
        shown = dict.fromkeys(_paths_of_base(catalogue))
    shown |= _overlay(source, state, base=base, chooser=chooser, differs=bool(base) and rules != chooser.signature)
    return Plan(
        old_base=old_base,
        base=base,
        base_wants=tuple(base_wants),
        base_removed=frozenset(base_removed),
        overlay_wants=tuple(want for want in shown.values() if want is not None),
        overlay_removed=frozenset(path for path, want in shown.items() if want is None),
        moves_base=rebuild or base != old_base,
        rules=rules,
        n_changed=len(state.changed) + len(state.removed) if source.common_dir else 0,
        notes=state.notes,
    )


def _choose_base(source: git.Source, state: git.State, old: str, *, may_move: bool) -> str:
    """The commit that all views of a repository rest on: on the default branch, near what is looked at first.

    It moves when the default branch itself is looked at, by the rules that shaped it; a view of another branch, or with
    other ignore rules, only ever adds an overlay.
    """
    if not state.head or state.head == old or (old and not may_move):
        return old
    branch, tip = git.default_branch_commit(source)
    if old:
        return state.head if branch and state.branch == branch else old
    return (git.merge_base(source, state.head, tip) if tip else "") or state.head


def _exists(source: git.Source, commit: str) -> bool:
    """A base can vanish: history was rewritten and cleaned, or another clone shares the index."""
    try:
        return bool(git.resolve(source, commit))
    except GitError:
        raise
    except SourceError:
        return False


def _overlay(
    source: git.Source, state: git.State, *, base: str, chooser: Chooser, differs: bool
) -> dict[str, Want | None]:
    """Path → what the view shows there instead of the base's file; None where it shows nothing."""
    shown: dict[str, Want | None] = {}
    if state.head and base and differs:  # another work tree's ignore rules shaped the base
        shown |= {want.path: want for want in _wants_of_tree(source, base, chooser)}
    if state.head and base and state.head != base:
        changed, removed = git.diff(source, base, state.head)
        shown |= {want.path: want for want in wants_of_entries(changed.values(), chooser)}
        shown |= dict.fromkeys(removed)
    shown |= dict.fromkeys(state.removed)
    shown |= dict.fromkeys(git.hidden_by_sparse(source) - state.changed.keys())
    for skipped in state.skipped:
        shown[skipped.path] = Want(path=skipped.path, skip=skipped.reason)
    for path, dirty in state.changed.items():
        shown[path] = chooser.want(path, size=dirty.size, stat=_stat(dirty))
    return shown


def _stat(dirty: git.Dirty) -> str:
    """Differs whenever the file may have changed; short, since a folder without git keeps one for each file."""
    return digest(f"{dirty.size}:{dirty.mtime_ns}:{dirty.inode}:{dirty.ctime_ns}")[:16]


def _wants_of_tree(source: git.Source, commit: str, chooser: Chooser) -> list[Want]:
    return wants_of_entries(git.tree(source, commit), chooser)


def wants_of_entries(entries: Iterable[git.TreeEntry], chooser: Chooser) -> list[Want]:
    """What is wanted of the entries of a tree."""
    return [
        chooser.want(entry.path, size=max(entry.size, 0), blob=entry.blob)
        if entry.regular
        else Want(path=entry.path, skip=_KIND_OF_MODE.get(entry.mode, f"mode {entry.mode:o}"))
        for entry in entries
    ]


def _paths_of_base(catalogue: Catalogue) -> set[str]:
    return {os.fsdecode(path) for (path,) in catalogue.rows("SELECT path FROM files WHERE in_base = 1")}
