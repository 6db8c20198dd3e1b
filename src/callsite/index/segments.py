"""What do all that keep a tantivy index need to know of its folder? What was committed, who writes, what raises."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress

import tantivy

from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_LOCK_SECONDS = 10.0  # the writer of a process that is ending may still hold tantivy's lock


def committed(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """What `meta.json` says of the last commit; {} when that can't be read."""
    try:
        with open(os.path.join(folder, "meta.json"), "rb") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def mark(folder: str | os.PathLike[str]) -> tuple[int, int, int] | None:
    """Differs after every commit, which puts a new file in the place of `meta.json`; None when there is none."""
    try:
        found = os.stat(os.path.join(folder, "meta.json"))
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def remove_strays(folder: str | os.PathLike[str]) -> None:
    """Remove the lists of deletions that no commit knows; whoever calls is about to be the only writer.

    A writer that was killed leaves them; the next one gives a list of its own the same name, and fails.
    """
    segments = committed(folder).get("segments")
    listed = [(one["segment_id"], one.get("deletes")) for one in segments] if isinstance(segments, list) else []
    known = {f"{str(id).replace('-', '')}.{deletes['opstamp']}.del" for id, deletes in listed if deletes}
    with suppress(OSError):  # a folder that is not there has none
        for name in os.listdir(folder):
            if name.endswith(".del") and name not in known:
                os.unlink(os.path.join(folder, name))


def writer_of(index: tantivy.Index, heap: int) -> tantivy.IndexWriter:
    """The index's one writer, waited for; tantivy's error, for which `is_busy` holds, when somebody keeps it."""
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            return index.writer(heap, 1)
        except Exception as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def is_foreign(error: BaseException) -> bool:
    """Whether tantivy raised it; when it panics, its binding raises what `except Exception` does not catch."""
    return isinstance(error, ValueError | OSError | RuntimeError) or type(error).__name__ == "PanicException"


def is_busy(error: BaseException) -> bool:
    """Whether it says that another process writes."""
    return "LockBusy" in str(error)
