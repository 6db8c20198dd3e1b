"""Who may see which chunks? Searches in a store that give a user nothing that he may not read."""

from __future__ import annotations

from callsite.permissions.search import Policy, search

__all__ = ["Policy", "search"]
