"""Which files make an index of so many chunks? A folder that grows by whole checkouts, and how many chunks it holds."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import callsite
from benchmarks.engines.tantivy_plain import LARGEST_FILE

#: Up to here chunks are counted one by one; beyond, from the text, which is as accurate as anybody needs and saves
#: minutes of parsing.
COUNTED = 100_000


MOST = 1.25  # times the wanted number: a checkout that would lead beyond waits for the next size


class GrowingFolder:
    """A folder of checkouts without their repositories; equal content counts once, as in an index."""

    def __init__(self, folder: Path, checkouts: Iterable[Path]) -> None:
        self.folder = folder
        self._waiting = list(checkouts)
        self._contents: set[bytes] = set()
        self._chunks: set[str] = set()
        self._n_counted_bytes = self._n_further_bytes = 0

    @property
    def n_chunks(self) -> int:
        """Counted up to COUNTED, estimated beyond."""
        ratio = len(self._chunks) / self._n_counted_bytes if self._n_counted_bytes else 0.0
        return len(self._chunks) + round(self._n_further_bytes * ratio)

    def grow(self, n_chunks: int) -> bool:
        """Add checkouts until there are so many chunks; whether there were enough of them."""
        too_large: list[Path] = []
        while self.n_chunks < n_chunks and self._waiting:
            checkout = self._waiting.pop(0)
            if not self._add(checkout, most=round(MOST * n_chunks)):
                too_large.append(checkout)
        self._waiting = too_large + self._waiting
        return self.n_chunks >= n_chunks

    def _add(self, checkout: Path, *, most: int) -> bool:
        target = self.folder / checkout.parent.name / checkout.name
        shutil.copytree(
            checkout,
            target,
            ignore=shutil.ignore_patterns(".git"),
            copy_function=_link,
            ignore_dangling_symlinks=True,
            symlinks=True,
        )
        if len(self._chunks) >= COUNTED:
            self._n_further_bytes += self._take_contents(target)
            return True
        chunks = {chunk.source for chunk in callsite.chunks([target]) if isinstance(chunk, callsite.Chunk)}
        if len(self._chunks | chunks) > most:
            shutil.rmtree(target)
            return False
        self._chunks |= chunks
        self._n_counted_bytes += self._take_contents(target)
        return True

    def _take_contents(self, folder: Path) -> int:
        """Bytes of texts below a folder whose content was nowhere before."""
        n_bytes = 0
        for path in folder.rglob("*"):
            if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST_FILE:
                continue
            content = path.read_bytes()
            key = hashlib.sha1(content, usedforsecurity=False).digest()
            if b"\0" not in content and key not in self._contents:
                self._contents.add(key)
                n_bytes += len(content)
        return n_bytes


def _link(source: str, target: str) -> None:
    """A second name for the same file, or a copy where the file systems differ."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)
