"""How does one come to an engine? What lies at the path is found first; git works while the engine is imported."""

from __future__ import annotations

import os

from callsite import git
from callsite import settings as settings_room
from callsite.values import TYPE_CHECKING, replace

if TYPE_CHECKING:
    from typing import Any

    from callsite.engine import Engine


def open(
    path: str | os.PathLike[str] = ".",
    *,
    commit: str = "",
    whole: bool = False,
    ask_at_once: bool = False,
    **settings: Any,
) -> Engine:
    """An engine for the source at `path`: a work tree (or a part of it), a bare repository, a folder.

    commit: look at that commit instead of the work tree. whole: search the whole work tree around `path`, not only what
    lies below it. ask_at_once: let git look already now; the first answer then misses what changes before it is asked.
    Raises SourceError when there is nothing to read at the path, SettingsError for an unknown setting.
    """
    source = git.discover(path, commit=commit)
    pending = git.begin_state(source) if ask_at_once else None
    from callsite.engine import Engine

    source = replace(source, focus="") if whole else source
    return Engine(source, settings_room.load(source.root, **settings), pending=pending)
