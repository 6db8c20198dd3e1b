"""Where are chunks kept and found? One seam for all stores, and what they share; what it promises is in docs/why."""

from __future__ import annotations

from callsite.stores.seam import Store
from callsite.stores.values import Candidate, Change, Document, Found, Health, Key, Outcome, Page, Stats

__all__ = ["Candidate", "Change", "Document", "Found", "Health", "Key", "Outcome", "Page", "Stats", "Store"]
