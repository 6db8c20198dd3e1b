"""The whole indexing on one screen: state → plan → take in → show.

Nothing is shown before everything is in: the last transaction only moves pointers, so that readers see the old state
or the new one, and a kill at any point leaves the old one.
"""

from __future__ import annotations

import os

from callsite import git
from callsite.errors import IndexBusy
from callsite.index.ageing import drop_unused, drop_views
from callsite.index.catalogue import Catalogue
from callsite.index.lexical import Lexical
from callsite.index.snapshot import view_named
from callsite.index.update import Shadow, Update
from callsite.indexing.choose import Chooser
from callsite.indexing.fresh import Indexing, Limits, Progress, is_racy
from callsite.indexing.intake import Intake
from callsite.indexing.plan import Plan, make_plan
from callsite.text.words import Words

_TRIES = 5


def bring_up_to_date(
    source: git.Source,
    state: git.State,
    chooser: Chooser,
    catalogue: Catalogue,
    lexical: Lexical,
    words: Words,
    *,
    now: float,
    signature: str,
    limits: Limits,
    progress: Progress | None = None,
) -> Indexing:
    """Make the view of `source` show `state`, whose signature is kept with it.

    Raises IndexBusy when another process writes for longer than `limits.wait`, IndexUnusable when nothing can be kept.
    """
    notes = [recover(catalogue, lexical, words, now=now, wait=limits.wait)]
    for _ in range(_TRIES):
        intake = Intake(
            source, catalogue, lexical, words, now=now, wait=limits.wait,
            n_workers=limits.n_workers, max_file_bytes=limits.max_file_bytes, progress=progress,
        )  # fmt: skip
        with catalogue.reading():
            plan = plan_for(source, state, catalogue, chooser)
            unchanged = known_by_stat(catalogue, source, chooser)
        in_base = intake.take(plan.base_wants, unchanged={})
        in_overlay = intake.take(plan.overlay_wants, unchanged=unchanged)
        stats = _trusted_stats(plan, state, intake, now)
        overlay = {path: Shadow(file, stats.get(path, "")) for path, file in in_overlay.items()}
        overlay |= {path: Shadow(None) for path in plan.overlay_removed}
        with catalogue.writing(wait=limits.wait), Update(catalogue, lexical, words, now=now) as update:
            if not _is_current(catalogue, plan, in_base, in_overlay):
                continue
            _show(catalogue, update, source, state, plan, in_base, overlay, now=now, signature=signature)
            shown = view_named(catalogue, source.view)
        assert shown is not None
        problems = [f"not read: {path}: {reason}" for path, reason in intake.refused.items() if path in state.changed]
        return Indexing(view=shown, changed=True, notes=(*filter(None, notes), *plan.notes, *problems))
    raise IndexBusy("other processes kept changing the index; try again, or answer from what is there with --no-index")


def recover(catalogue: Catalogue, lexical: Lexical, words: Words, *, now: float, wait: float) -> str:
    """Bring both parts in step after a crash; what was done, "" when nothing was needed."""
    if catalogue.meta("stamps") == lexical.stamps():
        return ""
    with catalogue.writing(wait=wait), Update(catalogue, lexical, words, now=now) as update:
        return update.recover()


def plan_for(source: git.Source, state: git.State, catalogue: Catalogue, chooser: Chooser) -> Plan:
    """What has to be done to show a state of the source."""
    view = view_named(catalogue, source.view)
    (n_views,) = catalogue.row("SELECT count(*) FROM views")
    return make_plan(source, state, catalogue, chooser, view=view.id if view else None, n_views=n_views)


def known_by_stat(catalogue: Catalogue, source: git.Source, chooser: Chooser) -> dict[tuple[str, str], int]:
    """The files that need no reading, (path, stat) → id; none when they were chosen by other rules."""
    rows = catalogue.rows(
        "SELECT o.path, o.stat, o.file FROM overlays o JOIN views v ON v.id = o.view"
        " WHERE v.name = ? AND o.stat != '' AND o.file IS NOT NULL AND substr(v.signature, 1, ?) = ?",
        *(source.view, len(chooser.signature), chooser.signature),
    )
    return {(os.fsdecode(path), stat): file for path, stat, file in rows}


def _show(
    catalogue: Catalogue,
    update: Update,
    source: git.Source,
    state: git.State,
    plan: Plan,
    in_base: dict[str, int],
    overlay: dict[str, Shadow],
    *,
    now: float,
    signature: str,
) -> None:
    """Let base and view point to what was taken in, and forget what nobody shows."""
    if plan.moves_base:
        update.set_base(plan.base, changed=in_base, removed=plan.base_removed, rules=plan.rules, view=source.view)
    update.set_view(
        source.view,
        root="" if source.commit else source.root,
        signature=signature,
        head=state.head,
        branch=state.branch,
        overlay=overlay,
        n_changed=plan.n_changed,
    )
    drop_views(catalogue, keep=source.view, now=now)
    drop_unused(catalogue, now=now)


def _is_current(catalogue: Catalogue, plan: Plan, in_base: dict[str, int], in_overlay: dict[str, int]) -> bool:
    """Whether the base is where the plan saw it, and nothing that was taken in has been dropped as unused."""
    if catalogue.meta("base") != plan.old_base:
        return False
    ids = sorted({*in_base.values(), *in_overlay.values()})
    return len(catalogue.rows_in("SELECT id FROM files WHERE id IN ({})", ids)) == len(ids)


def _trusted_stats(plan: Plan, state: git.State, intake: Intake, now: float) -> dict[str, str]:
    """Path → stat of the files that were read when they were old enough for their stat to tell any later change."""
    fresh = {path for path, dirty in state.changed.items() if is_racy(dirty.mtime_ns, now)}
    return {
        want.path: want.stat
        for want in plan.overlay_wants
        if want.path not in fresh and want.path not in intake.refused
    }
