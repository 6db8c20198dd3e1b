"""How do collections change over time? Ordered steps that are noted in the store, run once, and can be resumed."""

from __future__ import annotations

from callsite.migrations.runner import Problem, Status, pending, run, status
from callsite.migrations.switch import SwitchState, advance, begin, searched_field, state_of, written_fields
from callsite.migrations.verbs import AddFields, Backfill, ChangeMetadata, CreateCollection, DropCollection, Migration
from callsite.migrations.versions import MIGRATIONS

__all__ = [
    "MIGRATIONS",
    "AddFields",
    "Backfill",
    "ChangeMetadata",
    "CreateCollection",
    "DropCollection",
    "Migration",
    "Problem",
    "Status",
    "SwitchState",
    "advance",
    "begin",
    "pending",
    "run",
    "searched_field",
    "state_of",
    "status",
    "written_fields",
]
