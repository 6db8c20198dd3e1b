"""Can these vectors be kept? What a provider answered in; good vectors, and what is wrong with the others, out."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import hypot

from callsite.errors import EmbedderRefused

_SHORTEST, _LONGEST = 1e-15, 1e15  # beyond these, stores with 32-bit floats can't compute a cosine


def problems_of(vectors: Sequence[array[float] | None], dims: int) -> list[str]:
    """For each vector what is wrong with it, "" for nothing.

    EmbedderRefused when all have another length: the model is another than was meant, and asking again only costs.
    """
    found = [_problem(vector, dims) for vector in vectors]
    lengths = {0 if vector is None else len(vector) for vector in vectors}
    if len(lengths) == 1 and (length := lengths.pop()) not in (0, dims):
        raise EmbedderRefused(f"the model gives vectors of {length} dimensions, not {dims}; set dims to {length}")
    return found


def _problem(vector: array[float] | None, dims: int) -> str:
    if vector is None:
        return "the answer held no vector for it"
    if len(vector) != dims:
        return f"the vector has {len(vector)} dimensions, not {dims}"
    if not _SHORTEST <= hypot(*vector) <= _LONGEST:  # false for NaN too
        return "the vector is zero or holds numbers that are none"
    return ""
