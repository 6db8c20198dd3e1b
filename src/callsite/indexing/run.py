"""The whole indexing on one screen: state → plan → take in → show.

Nothing is shown before everything is in: the last transaction only moves pointers, so that readers see the old state
or the new one, and a kill at any point leaves the old one.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass

from callsite import git
from callsite.index.catalogue import Catalogue
from callsite.index.lexical import Lexical
from callsite.index.snapshot import View, view_named
from callsite.index.update import Shadow, Update
from callsite.indexing.intake import Intake, Progress
from callsite.indexing.plan import Chooser, Plan, Want, make_plan
from callsite.text.words import Words

_RACY_SECONDS = 2.0  # a file changed so recently may change again without its stat showing it
_TRIES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexing:
    """How an indexing went."""

    view: View
    changed: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an indexing may use."""

    max_file_bytes: int
    n_workers: int
    wait: float  #: seconds to wait for another writer


def refresh(
    source: git.Source,
    pending: git.PendingState,
    catalogue: Catalogue,
    lexical: Lexical,
    words: Words,
    *,
    now: float,
    limits: Limits,
    progress: Progress | None = None,
) -> Indexing:
    """Make the view of `source` show its present state; cheap when nothing changed.

    Raises IndexBusy when another process writes for longer than `limits.wait`, IndexUnusable when nothing can be kept.
    """
    chooser = Chooser(git.IgnoreRules.load(source), max_file_bytes=limits.max_file_bytes)
    state = pending.result()
    signature = _signature(state, chooser, now)
    view = _view(catalogue, source)
    if view is not None and view.signature == signature and catalogue.meta("stamps") == lexical.stamps():
        return Indexing(view=view, changed=False, notes=state.notes)
    notes = [_recover(catalogue, lexical, words, now=now, wait=limits.wait)]
    for _ in range(_TRIES):
        intake = Intake(
            source, catalogue, lexical, words, now=now, wait=limits.wait,
            n_workers=limits.n_workers, max_file_bytes=limits.max_file_bytes, progress=progress,
        )  # fmt: skip
        with catalogue.reading():
            plan = _plan(source, state, catalogue, chooser)
            unchanged = _known_by_stat(catalogue, source)
        in_base = intake.take(plan.base_wants, unchanged={})
        in_overlay = intake.take(plan.overlay_wants, unchanged=unchanged)
        shown = _show(
            catalogue, lexical, words, source, state, plan, in_base, in_overlay, now=now, wait=limits.wait, signature=signature
        )
        if shown is not None:
            problems = [f"not read: {line}" for line in intake.unreadable]
            return Indexing(view=shown, changed=True, notes=(*filter(None, notes), *plan.notes, *problems))
    view = _view(catalogue, source)
    if view is None:
        raise RuntimeError("other processes moved the base under five indexing attempts")
    return Indexing(view=view, changed=False, notes=(*state.notes, "other processes kept changing the index"))


def _view(catalogue: Catalogue, source: git.Source) -> View | None:
    with catalogue.reading():
        return view_named(catalogue, source.view)


def _recover(catalogue: Catalogue, lexical: Lexical, words: Words, *, now: float, wait: float) -> str:
    if catalogue.meta("stamps") == lexical.stamps():
        return ""
    with catalogue.writing(wait=wait), Update(catalogue, lexical, words, now=now) as update:
        return update.recover()


def _plan(source: git.Source, state: git.State, catalogue: Catalogue, chooser: Chooser) -> Plan:
    view = view_named(catalogue, source.view)
    (n_views,) = catalogue.row("SELECT count(*) FROM views")
    return make_plan(source, state, catalogue, chooser, view=view.id if view else None, n_views=n_views)


def _known_by_stat(catalogue: Catalogue, source: git.Source) -> dict[tuple[str, str], int]:
    rows = catalogue.rows(
        "SELECT o.path, o.stat, o.file FROM overlays o JOIN views v ON v.id = o.view WHERE v.name = ? AND o.stat != ''",
        source.view,
    )
    return {(os.fsdecode(path), stat): file for path, stat, file in rows}


def _show(
    catalogue: Catalogue,
    lexical: Lexical,
    words: Words,
    source: git.Source,
    state: git.State,
    plan: Plan,
    in_base: dict[str, int],
    in_overlay: dict[str, int],
    *,
    now: float,
    wait: float,
    signature: str,
) -> View | None:
    """Let base and view point to what was taken in; None when another process moved the base meanwhile."""
    with catalogue.writing(wait=wait), Update(catalogue, lexical, words, now=now) as update:
        if not _is_current(catalogue, plan, in_base, in_overlay):
            return None
        if plan.moves_base:
            update.set_base(plan.base, changed=in_base, removed=plan.base_removed, rules=plan.rules)
        stats = {want.path: _trusted_stat(want, state, now) for want in plan.overlay_wants}
        overlay = {path: Shadow(file, stats[path]) for path, file in in_overlay.items()}
        overlay |= {path: Shadow(None) for path in plan.overlay_removed}
        update.set_view(
            source.view,
            root="" if source.commit else source.root,
            signature=signature,
            head=state.head,
            branch=state.branch,
            overlay=overlay,
            n_changed=plan.n_changed,
        )
        for id, root in update.views():
            if root and not os.path.isdir(root):
                update.drop_view(id)
        update.drop_unused()
    return _view(catalogue, source)


def _is_current(catalogue: Catalogue, plan: Plan, in_base: dict[str, int], in_overlay: dict[str, int]) -> bool:
    """Whether the base is where the plan saw it, and nothing that was taken in has been dropped as unused."""
    if catalogue.meta("base") != plan.old_base:
        return False
    ids = sorted({*in_base.values(), *in_overlay.values()})
    return len(catalogue.rows_in("SELECT id FROM files WHERE id IN ({})", ids)) == len(ids)


def _trusted_stat(want: Want, state: git.State, now: float) -> str:
    dirty = state.changed.get(want.path)
    return want.stat if dirty is not None and dirty.mtime_ns < (now - _RACY_SECONDS) * 1e9 else ""


def _signature(state: git.State, chooser: Chooser, now: float) -> str:
    """The same as long as the state is; never the same while a file is so fresh that its stat can't be trusted."""
    if any(dirty.mtime_ns > (now - _RACY_SECONDS) * 1e9 for dirty in state.changed.values()):
        return f"racy {now}"
    text = repr((state.head, state.branch, sorted(state.changed.items()), sorted(state.removed), state.skipped))
    return chooser.signature + hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:40]
