"""Which language is a file, where are its chunks and symbols, should it be skipped? Paths and bytes in, values out."""

from __future__ import annotations

from callsite.code.analyse import VERSION, Analysis, analyse
from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from callsite.code.languages import language_of
    from callsite.code.skip import MAX_FILE_SIZE, skip_by_content, skip_by_path
    from callsite.code.source import Decoded, decode

__all__ = [
    "MAX_FILE_SIZE",
    "VERSION",
    "Analysis",
    "Decoded",
    "analyse",
    "decode",
    "language_of",
    "skip_by_content",
    "skip_by_path",
]

#: Imported when they are asked for: a search that finds nothing changed asks for the version only.
_LATE = {
    "language_of": "languages",
    "MAX_FILE_SIZE": "skip",
    "skip_by_content": "skip",
    "skip_by_path": "skip",
    "Decoded": "source",
    "decode": "source",
}


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found = globals()[name] = getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
    return found
