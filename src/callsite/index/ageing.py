"""What does nobody show any more, and when is it forgotten? To be used inside `Catalogue.writing`."""

from __future__ import annotations

import os

from callsite.index.catalogue import Catalogue
from callsite.index.tally import tally, tally_of_base

_KEEP_UNUSED_SECONDS = 7 * 86_400.0  # a branch that is visited weekly stays free
_KEEP_AT_LEAST_SECONDS = 60.0  # somebody may still be reading an older state
_KEEP_COMMIT_SECONDS = 30 * 86_400.0  # a commit that was looked at has no folder whose end could be noticed
_UNUSED_SHARE = 0.25  # of the text that is shown: beyond, the oldest unused contents go


def drop_views(catalogue: Catalogue, *, keep: str, now: float) -> None:
    """Forget the views of folders that are gone and of commits that nobody asked for lately, never the named one."""
    for view, name, root, used_at in catalogue.rows("SELECT id, name, root, used_at FROM views"):
        is_gone = not os.path.isdir(root) if root else used_at < now - _KEEP_COMMIT_SECONDS
        if is_gone and name != keep:
            catalogue.run("DELETE FROM overlays WHERE view = ?", view)
            catalogue.run("DELETE FROM views WHERE id = ?", view)


def drop_unused(catalogue: Catalogue, *, now: float) -> None:
    """Forget files that no view has shown for long, or whose text outweighs what is shown."""
    in_overlay = "id IN (SELECT file FROM overlays WHERE file IS NOT NULL)"
    catalogue.run(
        f"UPDATE files SET unused_since = NULL WHERE in_base = 0 AND unused_since IS NOT NULL AND {in_overlay}"
    )
    catalogue.run(
        f"UPDATE files SET unused_since = ? WHERE in_base = 0 AND unused_since IS NULL AND NOT {in_overlay}", now
    )
    unused = catalogue.rows(
        "SELECT f.id, f.unused_since, ifnull(c.n_bytes, 0) FROM files f LEFT JOIN contents c ON c.id = f.content"
        " WHERE f.in_base = 0 AND f.unused_since < ? ORDER BY f.unused_since DESC, f.id DESC",
        now - _KEEP_AT_LEAST_SECONDS,
    )
    if not unused:
        return
    overlaid = "SELECT DISTINCT o.file FROM overlays o JOIN files f ON f.id = o.file WHERE f.in_base = 0"
    n_shown = tally_of_base(catalogue).n_bytes + tally(catalogue, overlaid).n_bytes
    going, n_bytes = [], 0
    for file, since, size in unused:
        n_bytes += size
        if since < now - _KEEP_UNUSED_SECONDS or n_bytes > _UNUSED_SHARE * n_shown:
            going.append((file,))
    _forget(catalogue, going)


def _forget(catalogue: Catalogue, files: list[tuple[int]]) -> None:
    if not files:
        return
    catalogue.run_many("INSERT OR IGNORE INTO doomed VALUES (?)", files)
    catalogue.run_many("DELETE FROM files WHERE id = ?", files)
    orphans = [row[0] for row in catalogue.rows("SELECT id FROM contents WHERE id NOT IN (SELECT content FROM files)")]
    catalogue.run_many("DELETE FROM contents WHERE id = ?", [(content,) for content in orphans])
    if orphans:
        catalogue.run("DELETE FROM names WHERE content NOT IN (SELECT id FROM contents)")
