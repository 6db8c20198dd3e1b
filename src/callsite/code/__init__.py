"""Which language is a file, where are its chunks and symbols, should it be skipped? Paths and bytes in, values out."""

from __future__ import annotations

from .analyse import VERSION, Analysis, analyse
from .languages import language_of
from .skip import MAX_FILE_SIZE, skip_by_content, skip_by_path
from .source import Decoded, decode

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
