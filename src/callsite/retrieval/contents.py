"""What stands in the files of an answer: lines and chunks by content."""

from __future__ import annotations

from callsite.index.outline import ChunkRow
from callsite.index.prepared import chunk_id
from callsite.index.snapshot import File, Snapshot


class Contents:
    """Lines and chunks by content, as the snapshot remembers them."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.lines = snapshot.lines
        self.chunks = snapshot.chunks

    def between(self, content: int, first_line: int, last_line: int) -> str:
        return "\n".join(self.lines(content)[first_line - 1 : last_line])

    def chunk_id(self, file: File, chunk: ChunkRow) -> str:
        """The public id of a chunk; equal texts in one file are told apart by their order."""
        text = self.between(file.content, chunk.first_line, chunk.last_line)
        alike = [other for other in self.chunks(file.content)[: chunk.ordinal] if other.length == chunk.length]
        same = [other for other in alike if self.between(file.content, other.first_line, other.last_line) == text]
        return chunk_id(file.path, text, occurrence=len(same) + 1)
