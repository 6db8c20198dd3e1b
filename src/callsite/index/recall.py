"""What was read before and still holds? Files and contents never change under their id, and ids are never used twice.

It belongs to one open catalogue and is dropped with it; whoever asks often in one process reads each thing once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, TypeVar

    from callsite.index.outline import ChunkRow, Symbol
    from callsite.index.snapshot import File

    _T = TypeVar("_T")

_MAX_FILES = 200_000
_MAX_CHUNKS = 200_000
_MAX_LINES = 400_000  # about 40 MB


class Bounded(dict[int, "_T"]):
    """A dictionary that forgets everything when it would grow beyond so many parts of its values."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self._n = 0

    def keep(self, key: int, value: _T, *, size: int = 0) -> _T:
        self._n += 1 + size
        if self._n > self._most:
            self.clear()
            self._n = 1 + size
        self[key] = value
        return value


class Recall:
    """Files by id, outlines and lines by content, and whatever follows from the state of the catalogue as a whole."""

    def __init__(self) -> None:
        self.files: Bounded[File | None] = Bounded(_MAX_FILES)  #: None for one that is not searched
        self.outlines: Bounded[tuple[list[ChunkRow], list[Symbol]]] = Bounded(_MAX_CHUNKS)
        self.lines: Bounded[list[str]] = Bounded(_MAX_LINES)
        self._state: Hashable = None
        self._follows: dict[object, Any] = {}

    def follows(self, state: Hashable, key: object, make: Callable[[], _T]) -> _T:
        """What follows from a state, made once as long as the state is the same."""
        if state != self._state:
            self._state, self._follows = state, {}
        if key not in self._follows:
            self._follows[key] = make()
        found: _T = self._follows[key]
        return found
