"""Where are entries kept between calls? A folder with one file for each; without room or permission nothing is kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from contextlib import suppress
from threading import get_ident

from callsite.evidence.appmap.entry import Entry
from callsite.evidence.appmap.storage import entry_from_bytes, entry_to_bytes

_LEAST_KEPT = 200  # files, so that recordings given from elsewhere are not read anew by every second call


class KeptEntries:
    """The entries in a folder by key, each read or made once. Threads may share it, as processes may share the folder.

    What is damaged or gone is made anew; nothing is raised.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._entries: dict[str, Entry] = {}
        self.has_grown = False  #: since it was swept

    def get(self, key: str, make: Callable[[], Entry]) -> Entry:
        """The entry that is kept under a key, else the one that `make` makes, which is kept from now on."""
        if key in self._entries:
            return self._entries[key]
        entry = self._stored(key)
        if entry is None:
            entry = make()
            self._store(key, entry)
        self._entries[key] = entry
        return entry

    def sweep(self, *, wanted: Collection[str]) -> None:
        """Leave twice as many files as there are wanted keys: the wanted ones and the newest of the others."""
        self.has_grown = False
        self._entries = {key: self._entries[key] for key in wanted if key in self._entries}
        n_others = max(2 * len(wanted), _LEAST_KEPT) - len(wanted)
        with suppress(OSError):
            with os.scandir(self._folder) as found:
                others = [(one.stat().st_mtime_ns, one.path) for one in found if _key_of(one.name) not in wanted]
            for _, path in sorted(others, reverse=True)[n_others:]:
                os.unlink(path)

    def _stored(self, key: str) -> Entry | None:
        try:
            with open(self._place(key), "rb") as file:
                return entry_from_bytes(file.read())
        except OSError:
            return None

    def _store(self, key: str, entry: Entry) -> None:
        """Whole or not at all."""
        self.has_grown = True
        with suppress(OSError):
            os.makedirs(self._folder, exist_ok=True)
            partial = f"{self._place(key)}.{os.getpid()}.{get_ident()}"
            with open(partial, "wb") as file:
                file.write(entry_to_bytes(entry))
            os.replace(partial, self._place(key))

    def _place(self, key: str) -> str:
        return os.path.join(self._folder, f"{key}.entry")


def _key_of(name: str) -> str:
    return name.partition(".")[0]
