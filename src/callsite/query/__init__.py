"""How is a collection asked? One language in three forms: Python, text and JSON; what it means is told in docs/why."""

from __future__ import annotations

from callsite.query.builder import Query
from callsite.query.check import checked
from callsite.query.embed import texts_of, with_vectors
from callsite.query.fields import Field, Schema
from callsite.query.json_form import from_json, to_json
from callsite.query.reading import parse

__all__ = ["Field", "Query", "Schema", "checked", "from_json", "parse", "texts_of", "to_json", "with_vectors"]
