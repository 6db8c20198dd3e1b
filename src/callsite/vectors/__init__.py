"""How do documents of a store come to vectors? Plans and runs that embed what lacks one, and texts of queries."""

from __future__ import annotations

from callsite.vectors.asking import embedded_queries
from callsite.vectors.planning import plan
from callsite.vectors.run import run
from callsite.vectors.texts import embedded_text, embedded_text_with_path
from callsite.vectors.values import Plan, Progress, Report

__all__ = [
    "Plan",
    "Progress",
    "Report",
    "embedded_queries",
    "embedded_text",
    "embedded_text_with_path",
    "plan",
    "run",
]
