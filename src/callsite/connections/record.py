"""Which connections were made? One file that only its owner can read, with exactly one active connection, or none."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from callsite.connections.engines import checked, masked, opened
from callsite.connections.sealed import Seal
from callsite.errors import SettingsError, StoreError
from callsite.stores.seam import Store
from callsite.values import dataclass

FILE = "connections.json"
FORMAT = 1
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,62}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """A store that is known, as it may be shown."""

    name: str
    engine: str
    options: Mapping[str, str]  #: those that could be secret are masked
    is_active: bool


class Connections:
    """The connections of one user."""

    def __init__(self, folder: Path, *, key: str = "") -> None:
        """`key` is what options are encrypted with; without one it is in a file of the folder."""
        self._file = folder / FILE
        self._seal = Seal(folder, key)

    def all(self) -> tuple[Connection, ...]:
        """By name."""
        kept = self._read()
        return tuple(
            Connection(
                name=name,
                engine=one["engine"],
                options=masked(self._seal.unseal(one["options"], name)),
                is_active=name == kept["active"],
            )
            for name, one in sorted(kept["connections"].items())
        )

    def active(self) -> str:
        """The name of the one that is used when none is named, "" for none."""
        return str(self._read()["active"])

    def add(self, name: str, engine: str, options: Mapping[str, str]) -> None:
        """Note a connection; nothing is opened. The first one becomes active. StoreError for a name that is taken."""
        checked(engine)
        if not _NAME.fullmatch(name):
            raise StoreError(
                f"{name!r} is no name of a connection; write small letters, digits, - and _, a letter first"
            )

        def change(kept: dict[str, Any]) -> None:
            if name in kept["connections"]:
                raise StoreError(f"there is a connection {name}; forget it first, or take another name")
            kept["connections"][name] = {"engine": engine, "options": self._seal.seal(options)}
            kept["active"] = kept["active"] or name

        self._change(change)

    def activate(self, name: str) -> None:
        """Use this one from now on, when none is named; "" for none."""

        def change(kept: dict[str, Any]) -> None:
            if name:
                _of(kept, name)
            kept["active"] = name

        self._change(change)

    def forget(self, name: str) -> None:
        """Remove what is noted of a connection, nothing in its store; StoreError for the active one."""

        def change(kept: dict[str, Any]) -> None:
            _of(kept, name)
            if kept["active"] == name:
                raise StoreError(f"{name} is the active connection; activate another one first")
            del kept["connections"][name]

        self._change(change)

    def open(self, name: str = "") -> Store:
        """The store of a connection, of the active one without a name; StoreError when there is none."""
        kept = self._read()
        wanted = name or kept["active"]
        if not wanted:
            raise StoreError("no connection is active; add one with `callsite stores add`, or name one")
        one = _of(kept, wanted)
        return opened(one["engine"], self._seal.unseal(one["options"], wanted))

    def _read(self) -> dict[str, Any]:
        try:
            kept = json.loads(self._file.read_text("utf-8"))
        except FileNotFoundError:
            return {"format": FORMAT, "active": "", "connections": {}}
        except (OSError, ValueError) as error:
            raise SettingsError(f"{self._file}: {error}; mend it or remove it") from error
        if not _is_sound(kept):
            raise SettingsError(
                f"{self._file} is no list of connections that this version can read; mend it or remove it"
            )
        return dict(kept)

    def _change(self, change: Callable[[dict[str, Any]], None]) -> None:
        """Others see what was there before, or all of it."""
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with _locked(self._file.with_suffix(".lock")):
                kept = self._read()
                change(kept)
                new = self._file.with_suffix(f".{os.getpid()}")
                with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                    json.dump(kept, file, indent=1)
                os.replace(new, self._file)
        except OSError as error:
            raise SettingsError(f"connections can't be noted in {self._file}: {error}") from error


def _of(kept: dict[str, Any], name: str) -> dict[str, str]:
    if name not in kept["connections"]:
        known = ", ".join(sorted(kept["connections"])) or "none"
        raise StoreError(f"there is no connection {name!r}; there are: {known}")
    return dict(kept["connections"][name])


def _is_sound(kept: object) -> bool:
    if not isinstance(kept, dict) or kept.get("format") != FORMAT or not isinstance(kept.get("connections"), dict):
        return False
    entries = kept["connections"].values()
    return isinstance(kept.get("active"), str) and all(
        isinstance(one, dict) and isinstance(one.get("engine"), str) and isinstance(one.get("options"), str)
        for one in entries
    )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One writer at a time, where the system can say so."""
    with open(path, "w") as file:
        try:
            from fcntl import LOCK_EX, flock

            flock(file, LOCK_EX)
        except ImportError:
            pass  # not POSIX: two writers at the same moment may lose one change
        yield
