"""Which store is exact and forgets everything? The oracle that other stores are compared with, and a fake for tests."""

from __future__ import annotations

from callsite.stores.memory.store import MemoryStore

__all__ = ["MemoryStore"]
