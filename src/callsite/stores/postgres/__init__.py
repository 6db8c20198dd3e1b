"""Which store keeps chunks in PostgreSQL with pgvector? How it does so is told in docs/why/postgres-store.md."""

from __future__ import annotations

from callsite.stores.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
