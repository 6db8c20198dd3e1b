"""What stands in the files of an answer: lines and chunks, each content read once."""

from __future__ import annotations

from callsite.index.prepared import chunk_id
from callsite.index.snapshot import ChunkRow, File, Snapshot


class Contents:
    """Lines and chunks by content, remembered while one answer is made."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._lines: dict[int, list[str]] = {}
        self._chunks: dict[int, list[ChunkRow]] = {}

    def lines(self, content: int) -> list[str]:
        if content not in self._lines:
            self._lines[content] = self._snapshot.text(content).split("\n")
        return self._lines[content]

    def chunks(self, content: int) -> list[ChunkRow]:
        if content not in self._chunks:
            self._chunks[content] = self._snapshot.chunks(content)
        return self._chunks[content]

    def between(self, content: int, first_line: int, last_line: int) -> str:
        return "\n".join(self.lines(content)[first_line - 1 : last_line])

    def chunk_id(self, file: File, chunk: ChunkRow) -> str:
        """The public id of a chunk; equal texts in one file are told apart by their order."""
        text = self.between(file.content, chunk.first_line, chunk.last_line)
        alike = [other for other in self.chunks(file.content)[: chunk.ordinal] if other.length == chunk.length]
        same = [other for other in alike if self.between(file.content, other.first_line, other.last_line) == text]
        return chunk_id(file.path, text, occurrence=len(same) + 1)
