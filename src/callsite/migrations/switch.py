"""How does a collection come to another model without a moment in which nothing is found?

A new field of vectors is added, both are written, the new one is filled, checked, then searched, and the old one is
emptied. The definition of the collection says in its metadata which step is next, so a process that is killed between
two is followed by one that goes on; every step may be repeated.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from callsite.collections.definition import Collection
from callsite.errors import StoreError
from callsite.migrations.verbs import AddFields, Backfill, ChangeMetadata, there
from callsite.query.builder import Query
from callsite.stores.seam import Store
from callsite.stores.values import Key
from callsite.values import dataclass

STEPS = ("filling", "checking", "emptying")  #: in this order; a switch that is over has none
_FIELD = re.compile(r"embeddings_v([0-9]+)")

#: Fills the field with vectors of the model; gives how many documents still lack one.
Fill = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchState:
    """Which vectors a collection has."""

    searched: str  #: the field that queries use, "" before the first model
    coming: str  #: the field that is being filled, "" when no switch runs
    model: str  #: of the searched field
    coming_model: str
    step: str  #: one of STEPS, "" when no switch runs


def state_of(store: Store, collection: str) -> SwitchState:
    """How far a switch is, or that none runs."""
    kept = dict(there(store, collection).metadata)
    return SwitchState(
        searched=kept.get("searched", ""),
        coming=kept.get("coming", ""),
        model=kept.get("model", ""),
        coming_model=kept.get("coming_model", ""),
        step=kept.get("step", ""),
    )


def searched_field(store: Store, collection: str) -> str:
    """The field that a query for near vectors has to name; "" while there is none."""
    return state_of(store, collection).searched


def written_fields(store: Store, collection: str) -> tuple[str, ...]:
    """The fields that every new chunk gets a vector for."""
    state = state_of(store, collection)
    return tuple(field for field in (state.searched, state.coming) if field)


def begin(store: Store, collection: str, *, model: str, dims: int) -> SwitchState:
    """Begin to come to a model, the first one too. StoreError while another switch runs, or when it is there."""
    state = state_of(store, collection)
    if state.coming and (state.coming_model, _dims(store, collection, state.coming)) != (model, dims):
        raise StoreError(f"{collection} is coming to {state.coming_model}; finish that before the next one begins")
    if not state.coming and (state.model, _dims(store, collection, state.searched)) == (model, dims):
        raise StoreError(f"{collection} has the vectors of {model} already; nothing is to be done")
    if not state.coming:
        field = _next(there(store, collection))
        _do(AddFields(collection, {field: f"vector({dims})"}), store)
        _do(ChangeMetadata(collection, {"coming": field, "coming_model": model, "step": STEPS[0]}), store)
    return state_of(store, collection)


def advance(
    store: Store,
    collection: str,
    *,
    fill: Fill,
    check: Callable[[str], str],
    on_step: Callable[[str], None] | None = None,
) -> SwitchState:
    """Take all steps that are left. StoreError when vectors are still missing, or the check names a problem.

    `check` gets the new field, and says what is wrong with it, "" for nothing: then the old one goes on being searched.
    """
    tell = on_step or (lambda step: None)
    while step := (state := state_of(store, collection)).step:
        tell(step)
        if step == "filling":
            if n_left := fill(state.coming):
                raise StoreError(f"{collection}: {n_left:,} documents lack {state.coming} yet; run it again")
            _do(ChangeMetadata(collection, {"step": "checking"}), store)
        elif step == "checking":
            if problem := check(state.coming):
                raise StoreError(f"{collection}: {state.coming} is not searched: {problem}")
            now = {"searched": state.coming, "model": state.coming_model, "old": state.searched, "step": "emptying"}
            _do(ChangeMetadata(collection, now | {"coming": "", "coming_model": ""}), store)
        else:
            _empty(store, collection)
            _do(ChangeMetadata(collection, {"old": "", "step": ""}), store)
    return state_of(store, collection)


def _empty(store: Store, collection: str) -> None:
    old = dict(there(store, collection).metadata).get("old", "")
    if old:
        emptied = {old: None}
        _do(Backfill(name=collection, of=Query.exists(old), values=lambda document: emptied), store)


def _do(verb: AddFields | ChangeMetadata | Backfill, store: Store) -> None:
    verb.do(store, after=None, on_batch=_nobody)


def _nobody(key: Key) -> None:
    """Steps of a switch are resumed by what they find, not by a place."""


def _next(collection: Collection) -> str:
    numbers = [int(found[1]) for field in collection.vector_fields() if (found := _FIELD.fullmatch(field.name))]
    return f"embeddings_v{max(numbers, default=0) + 1}"


def _dims(store: Store, collection: str, name: str) -> int:
    field = there(store, collection).schema.field(name) if name else None
    return field.dims if field else 0
