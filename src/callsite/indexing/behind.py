"""How many files have changed since a view was indexed? Told by stat where that can be trusted, else by content."""

from __future__ import annotations

import os

from callsite import git
from callsite.index.catalogue import Catalogue
from callsite.indexing.choose import Chooser, Want
from callsite.indexing.plan import Plan
from callsite.indexing.run import known_by_stat, plan_for

Shown = tuple[str, str, str]  #: digest, hint, reason why the content is not looked at; all empty for nothing


def n_behind(source: git.Source, state: git.State, catalogue: Catalogue, *, max_file_bytes: int) -> int:
    """The paths at which the source's view shows something else than the source has; within `Catalogue.reading`."""
    chooser = Chooser(git.IgnoreRules.load(source), max_file_bytes=max_file_bytes)
    plan = plan_for(source, state, catalogue, chooser)
    known = known_by_stat(catalogue, source, chooser)
    in_view, in_base = _overlay(catalogue, source), _base(catalogue)
    wanted = _wanted(plan)
    n = 0
    for path in wanted.keys() | in_view.keys():
        base = in_base.get(path, ("", "", ""))
        if path in wanted and (want := wanted[path]) is not None and want.stat and (path, want.stat) in known:
            continue
        target = _target(source, wanted[path], max_file_bytes) if path in wanted else base
        n += target != in_view.get(path, base)
    return n


def _wanted(plan: Plan) -> dict[str, Want | None]:
    """What each path should show, as far as it may differ from the base that is there."""
    wanted: dict[str, Want | None] = dict.fromkeys(plan.base_removed)
    wanted |= {want.path: want for want in plan.base_wants}
    wanted |= dict.fromkeys(plan.overlay_removed)
    return wanted | {want.path: want for want in plan.overlay_wants}


def _target(source: git.Source, want: Want | None, max_file_bytes: int) -> Shown:
    if want is None:
        return "", "", ""
    if want.skip:
        return "", "", want.skip
    if want.blob:
        return want.blob, want.hint, ""
    found = git.read_dirty(source, want.path, max_file_bytes)
    return (git.blob_id(found), want.hint, "") if isinstance(found, bytes) else ("", "", found.reason)


_WHAT = "lower(hex(c.digest)), ifnull(c.hint, ''), ifnull(f.skip, '')"


def _overlay(catalogue: Catalogue, source: git.Source) -> dict[str, Shown]:
    rows = catalogue.rows(
        f"SELECT o.path, {_WHAT} FROM overlays o JOIN views v ON v.id = o.view LEFT JOIN files f ON f.id = o.file"
        " LEFT JOIN contents c ON c.id = f.content WHERE v.name = ?",
        source.view,
    )
    return {os.fsdecode(path): (digest, hint, skip) for path, digest, hint, skip in rows}


def _base(catalogue: Catalogue) -> dict[str, Shown]:
    rows = catalogue.rows(
        f"SELECT f.path, {_WHAT} FROM files f LEFT JOIN contents c ON c.id = f.content WHERE f.in_base = 1"
    )
    return {os.fsdecode(path): (digest, hint, skip) for path, digest, hint, skip in rows}
