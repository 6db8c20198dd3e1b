"""The whole indexing on one screen: state → plan → take in → show.

Nothing is shown before everything is in: the last transaction only moves pointers, so that readers see the old state
or the new one, and a kill at any point leaves the old one.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass

from callsite import git
from callsite.errors import IndexBusy, IndexUnusable
from callsite.index.ageing import drop_unused, drop_views
from callsite.index.catalogue import Catalogue, Damaged, Replaced
from callsite.index.lexical import Lexical, LexicalDamaged
from callsite.index.snapshot import View, view_named
from callsite.index.update import Shadow, Update
from callsite.indexing.intake import Intake, Progress
from callsite.indexing.plan import Chooser, Plan, make_plan
from callsite.text.words import Words

_RACY_SECONDS = 2.0  # the coarsest clock of a file system
_NOTICED_SECONDS = 86_400.0  # how exactly the last use of a view is noted
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
    if view is not None and view.signature == signature and _is_whole(catalogue, lexical, words, view, now=now):
        return Indexing(view=view, changed=False, notes=state.notes)
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


def _view(catalogue: Catalogue, source: git.Source) -> View | None:
    with catalogue.reading():
        return view_named(catalogue, source.view)


def _is_whole(catalogue: Catalogue, lexical: Lexical, words: Words, view: View, *, now: float) -> bool:
    """Whether nothing has to be done for a view that shows the right files; never waits for another writer."""
    noted = catalogue.meta("stamps")
    try:
        if noted != lexical.stamps() and (
            not lexical.covers(noted) or recover(catalogue, lexical, words, now=now, wait=0)
        ):
            return False
        if not view.used_at - _NOTICED_SECONDS < now < view.used_at + _NOTICED_SECONDS:
            with catalogue.writing(wait=0):
                catalogue.run("UPDATE views SET used_at = ? WHERE id = ?", now, view.id)
    except (Damaged, LexicalDamaged, Replaced):
        raise
    except IndexUnusable:
        return True  # another process is adding something, or no room is left for what can wait
    return True


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


def is_racy(mtime_ns: int, now: float) -> bool:
    """Whether a file was changed so recently that it may change again without its stat showing it."""
    return abs(now - mtime_ns / 1e9) < _RACY_SECONDS


def _signature(state: git.State, chooser: Chooser, now: float) -> str:
    """The chooser's, and the same as long as the state is; never the same while a file's stat can't be trusted."""
    if any(is_racy(dirty.mtime_ns, now) for dirty in state.changed.values()):
        return f"{chooser.signature} racy {now}"
    text = repr((state.head, state.branch, sorted(state.changed.items()), sorted(state.removed), state.skipped))
    return chooser.signature + hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:40]
