"""How do the chunks of a store follow git? Runs that read what changed, and what of them a query sees."""

from __future__ import annotations

from callsite.syncing.seen import seen_in
from callsite.syncing.sync import sync
from callsite.syncing.values import Changed, Place, Synced

__all__ = ["Changed", "Place", "Synced", "seen_in", "sync"]
