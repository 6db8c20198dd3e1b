"""How is a store brought to a commit? Only what differs is read; what can't be told from the last run is read anew.

A view notes what it is about to show before anything is written, and what it shows after everything was. A run that
was killed is repeated by the next one, which either does the same again or reads all.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from callsite import git
from callsite.errors import SourceError
from callsite.indexing.choose import Chooser, Want
from callsite.indexing.plan import wants_of_entries
from callsite.stores.seam import Store
from callsite.stores.values import Key
from callsite.syncing.seen import shadows_of
from callsite.syncing.values import Changed, Place, Synced
from callsite.syncing.views import View, note, overlays_of, require_written, view_of
from callsite.syncing.writing import Writing, path_problem
from callsite.text.digest import digest
from callsite.values import replace

Listener = Callable[[Changed], None]


def sync(
    source: git.Source,
    store: Store,
    place: Place,
    *,
    max_file_bytes: int,
    from_commit: str = "",
    to: str = "HEAD",
    work_tree: bool = False,
    force: bool = False,
    on_change: Listener | None = None,
) -> Synced:
    """Make a place show a commit, or an overlay the work tree as it is; migrations have made the collections.

    `from_commit` is what the caller believes to be there; the store knows better, and everything is read when they
    disagree, or when it is no ancestor of `to`. `force` reads everything anyway. Each chunk that is new is told to
    `on_change` after it was written. SourceError without such a commit; StoreError when the store fails: then nothing
    is lost, and the same call goes on.
    """
    run = _Run(source, store, max_file_bytes, on_change)
    if place.overlay:
        return run.overlay(place, "" if work_tree else git.resolve(source, to), force=force)
    return run.base(place, git.resolve(source, to), from_commit=from_commit, force=force)


class _Run:
    def __init__(self, source: git.Source, store: Store, max_file_bytes: int, on_change: Listener | None) -> None:
        self._source = source
        self._store = store
        self._max_file_bytes = max_file_bytes
        self._on_change = on_change
        self._chooser = Chooser(git.IgnoreRules.load(source), max_file_bytes=max_file_bytes)

    def _writing(self, place: Place) -> Writing:
        return Writing(self._source, self._store, place, max_file_bytes=self._max_file_bytes, on_change=self._on_change)

    def base(self, place: Place, commit: str, *, from_commit: str, force: bool) -> Synced:
        """Move the base, and all overlays after it, since they are told by what differs from it."""
        view = view_of(self._store, place)
        full = "it was asked for" if force else self._why_full(view, commit, from_commit)
        writing = self._writing(place)
        note(self._store, place, coming=f"{commit}{_IN_FULL}" if full else commit)
        if full:
            writing.write(wants_of_entries(git.tree(self._source, commit), self._chooser))
            writing.sweep()
        else:
            changed, removed = git.diff(self._source, view.commit, commit)
            writing.remove(sorted(removed))
            writing.write(wants_of_entries(changed.values(), self._chooser))
        ended = self._ended(writing, place, commit, full)
        views = overlays_of(self._store, place)
        moved = [self._moved(replace(place, overlay=view.overlay), view, commit) for view in views]
        return replace(ended, problems=(*ended.problems, *filter(None, moved)))

    def _why_full(self, view: View, commit: str, from_commit: str) -> str:
        """Why the difference to what is shown does not tell all, "" when it does."""
        if not view.commit:
            return _NOTHING_BEFORE
        if view.coming not in ("", commit):  # also after one that read all, whatever it had to sweep out
            return f"a run towards {view.coming[:12]} did not end"
        if view.rules != self._chooser.signature:
            return _OTHER_RULES
        if from_commit and self._resolved(from_commit) != view.commit:
            return f"the store shows {view.commit[:12]}, not {from_commit[:12]}"
        if not self._resolved(view.commit):
            return f"{view.commit[:12]} is not in this repository"
        if not git.is_ancestor(self._source, view.commit, commit):
            return f"{view.commit[:12]} is no ancestor of {commit[:12]}: history was rewritten"
        return ""

    def _resolved(self, revision: str) -> str:
        try:
            return git.resolve(self._source, revision)
        except SourceError:
            return ""

    def _moved(self, place: Place, view: View, base: str) -> str:
        """Bring an overlay along; what has to be done by somebody else, "" for nothing."""
        if view.base == base:
            return ""
        if not view.commit or not self._resolved(view.commit):
            return f"the overlay {place.overlay} shows what is not in this repository; index it again where it is"
        self.overlay(place, view.commit, force=False)
        return ""

    def overlay(self, place: Place, commit: str, *, force: bool) -> Synced:
        """Make an overlay show what a commit, or the work tree for "", has other than the base."""
        base = view_of(self._store, replace(place, overlay=""))
        if not base.commit or base.coming:
            raise SourceError(f"the base of project {place.project_id} is not indexed; index its default branch first")
        view = view_of(self._store, place)
        full = "it was asked for" if force else self._why_overlay(view)
        self._store.refresh(place.shadows)
        before = shadows_of(self._store, place)
        shown = self._differing(base.commit, commit)
        stale = [path for path, (_, blob) in shown.items() if full or before.get(path) != blob]
        gone = sorted(before.keys() - shown.keys())
        note(self._store, place, coming=commit or "work tree")
        writing = self._writing(place)
        wants = [shown[path][0] for path in stale]
        writing.remove([*gone, *(want.path for want in wants if want.skip == _REMOVED)])
        writing.write(want for want in wants if want.skip != _REMOVED)
        if full:
            writing.sweep()
        self._write_shadows(place, {path: shown[path][1] for path in stale}, gone)
        return self._ended(writing, place, commit, full, base=base.commit)

    def _why_overlay(self, view: View) -> str:
        """Why all of an overlay is written, "" when what it shows tells what is new."""
        if view.coming:
            return f"a run towards {view.coming[:12]} did not end"
        return "" if view.rules == self._chooser.signature else _OTHER_RULES if view.rules else _NOTHING_BEFORE

    def _differing(self, base: str, commit: str) -> dict[str, tuple[Want, str]]:
        """Path → what the overlay shows there, and its blob, "" for nothing that is searched."""
        state = None if commit else git.state(self._source)
        head = commit or (state.head if state else "")
        changed, removed = git.diff(self._source, base, head) if head and head != base else ({}, set())
        wants = {want.path: want for want in wants_of_entries(changed.values(), self._chooser)}
        wants |= {path: Want(path=path, skip=_REMOVED) for path in removed}
        if state is not None:
            wants |= {path: Want(path=path, skip=_REMOVED) for path in state.removed}
            wants |= {one.path: Want(path=one.path, skip=one.reason) for one in state.skipped}
            wants |= {path: self._chooser.want(path, size=dirty.size) for path, dirty in state.changed.items()}
        return {path: (want, "" if want.skip else want.blob or self._blob_of(want)) for path, want in wants.items()}

    def _blob_of(self, want: Want) -> str:
        found = git.read_dirty(self._source, want.path, self._max_file_bytes)
        return git.blob_id(found) if isinstance(found, bytes) else ""

    def _write_shadows(self, place: Place, blobs: dict[str, str], gone: list[str]) -> None:
        """After the chunks: what is not noted here is written again by the next run."""
        documents = [
            {**_shadow(place, path), "path": path, "blob": blob or None}
            for path, blob in blobs.items()
            if not path_problem(path)
        ]
        require_written(self._store.upsert(place.shadows, documents))
        keys = [Key(place.project_id, str(_shadow(place, path)["id"])) for path in gone]
        require_written(self._store.delete(place.shadows, keys))
        self._store.refresh(place.shadows)

    def _ended(self, writing: Writing, place: Place, commit: str, full: str, **of_view: str) -> Synced:
        """Note that everything was written."""
        self._store.refresh(place.collection)
        shows = {"commit": commit or None, "coming": None, "rules": self._chooser.signature, **of_view}
        note(self._store, place, indexed_at=datetime.now(UTC), **shows)
        return Synced(
            commit=commit,
            full=full,
            n_read=writing.n_read,
            n_created=writing.n_by_state["created"],
            n_updated=writing.n_by_state["updated"],
            n_unchanged=writing.n_by_state["unchanged"],
            n_gone=writing.n_gone,
            n_skipped=writing.n_skipped,
            problems=tuple(writing.problems),
        )


_REMOVED = "removed"
_IN_FULL = " in full"  # behind the commit that a run is coming to
_NOTHING_BEFORE = "nothing was indexed before"
_OTHER_RULES = "what is searched, or how it is chunked, has changed"


def _shadow(place: Place, path: str) -> dict[str, object]:
    key = digest("\0".join((place.overlay, path)))
    return {"id": key, "project_id": place.project_id, "overlay": place.overlay}
