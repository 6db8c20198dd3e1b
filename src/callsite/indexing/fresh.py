"""Does a view of the index show its source as it is now? Usually it does, and then nothing else has to be loaded."""

from __future__ import annotations

from collections.abc import Callable

from callsite import git
from callsite.errors import IndexUnusable
from callsite.index.catalogue import Catalogue, Damaged, Replaced
from callsite.index.lexical import Lexical, LexicalDamaged
from callsite.index.snapshot import View, view_named
from callsite.indexing.choose import Chooser
from callsite.text.digest import digest
from callsite.text.words import Words
from callsite.values import dataclass

_RACY_SECONDS = 2.0  # the coarsest clock of a file system
_NOTICED_SECONDS = 86_400.0  # how exactly the last use of a view is noted

Progress = Callable[[str, int, int], None]  #: what is being done, how many are done, how many there are


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
    from callsite.indexing.run import bring_up_to_date

    return bring_up_to_date(
        source, state, chooser, catalogue, lexical, words,
        now=now, signature=signature, limits=limits, progress=progress,
    )  # fmt: skip


def _view(catalogue: Catalogue, source: git.Source) -> View | None:
    with catalogue.reading():
        return view_named(catalogue, source.view)


def _is_whole(catalogue: Catalogue, lexical: Lexical, words: Words, view: View, *, now: float) -> bool:
    """Whether nothing has to be done for a view that shows the right files; never waits for another writer."""
    noted = catalogue.meta("stamps")
    try:
        if noted != lexical.stamps() and (
            not lexical.covers(noted) or _recover(catalogue, lexical, words, now=now, wait=0)
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


def _recover(catalogue: Catalogue, lexical: Lexical, words: Words, *, now: float, wait: float) -> str:
    from callsite.indexing.run import recover

    return recover(catalogue, lexical, words, now=now, wait=wait)


def is_racy(mtime_ns: int, now: float) -> bool:
    """Whether a file was changed so recently that it may change again without its stat showing it."""
    return abs(now - mtime_ns / 1e9) < _RACY_SECONDS


def _signature(state: git.State, chooser: Chooser, now: float) -> str:
    """The chooser's, and the same as long as the state is; never the same while a file's stat can't be trusted."""
    if any(is_racy(dirty.mtime_ns, now) for dirty in state.changed.values()):
        return f"{chooser.signature} racy {now}"
    text = repr((state.head, state.branch, sorted(state.changed.items()), sorted(state.removed), state.skipped))
    return chooser.signature + digest(text)[:40]
