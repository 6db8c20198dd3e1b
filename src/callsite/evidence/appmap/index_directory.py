"""What does the directory say that AppMap's own indexer made of a recording? Its value, and the door that reads one."""

from __future__ import annotations

import os

from callsite.evidence.appmap.entry import Entry
from callsite.text.words import Words
from callsite.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexDirectory:
    """An index directory that was read."""

    entry: Entry
    version: str  #: of the indexer, "" when it is not said
    mtime: float  #: of the recording when it was indexed, in milliseconds; 0 when it is not said


def read_index_directory(directory: str | os.PathLike[str], *, file: str, words: Words) -> IndexDirectory:
    """The entry that an index directory stands for; `file` is what the caller calls its recording.

    Files that are missing or damaged are problems of the entry, which then says less.
    """
    from callsite.evidence.appmap.index_reading import index_directory_of

    return index_directory_of(os.fspath(directory), file=file, words=words)
