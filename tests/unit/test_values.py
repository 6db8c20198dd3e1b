"""Our values behave as the dataclasses that they look like."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite import values


def _define(dataclass, field):
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Thing:
        """A thing."""

        name: str
        size: int = 3
        tags: list[str] = field(default_factory=list)

        @property
        def double(self) -> int:
            return self.size * 2

        @classmethod
        def small(cls) -> Thing:
            return cls(name="small", size=1)

    return Thing


def _define_pair(dataclass):
    @dataclass(frozen=True, slots=True)
    class Pair:
        """Two things."""

        left: int
        right: int = 2

    return Pair


OURS, THEIRS = _define(values.dataclass, values.field), _define(dataclasses.dataclass, dataclasses.field)
OUR_PAIR, THEIR_PAIR = _define_pair(values.dataclass), _define_pair(dataclasses.dataclass)


@values.dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """To be pickled, which needs a name in its module."""

    one: int
    two: tuple[int, ...] = ()


FIELDS = st.fixed_dictionaries(
    {"name": st.text()}, optional={"size": st.integers(), "tags": st.lists(st.text(), max_size=2)}
)


@given(FIELDS, FIELDS)  # the first instances are made without a compiled constructor, the others with it
def test_values_are_printed_and_compared_as_dataclasses_are(first, second):
    """The same text, equal when all fields are."""
    assert repr(OURS(**first)) == repr(THEIRS(**first))
    assert (OURS(**first) == OURS(**second)) == (THEIRS(**first) == THEIRS(**second))
    assert OURS(**first) != THEIRS(**first)
    assert values.replace(OURS(**first), **second) == OURS(**{**first, **second})
    assert dataclasses.replace(OURS(**first), **second) == OURS(**{**first, **second})
    assert dataclasses.asdict(OURS(**first)) == dataclasses.asdict(THEIRS(**first))


@given(st.integers(), st.integers())
def test_values_can_be_positional_and_hashed(left, right):
    """Where a class says so."""
    assert repr(OUR_PAIR(left, right)) == repr(THEIR_PAIR(left, right))
    assert hash(OUR_PAIR(left, right)) == hash(THEIR_PAIR(left, right))
    assert len({OUR_PAIR(left), OUR_PAIR(left, 2)}) == 1


def test_the_functions_of_dataclasses_find_what_they_look_for():
    """Names, types, defaults."""
    assert dataclasses.is_dataclass(OURS)
    assert [(f.name, f.type, f.default, f.kw_only) for f in dataclasses.fields(OURS)] == [
        (f.name, f.type, f.default, f.kw_only) for f in dataclasses.fields(THEIRS)
    ]
    if sys.version_info >= (3, 13):
        assert copy.replace(OURS(name="a"), size=4) == OURS(name="a", size=4)


@pytest.mark.parametrize("arguments", [{}, {"name": "a", "other": 1}])
def test_wrong_fields_are_refused(arguments):
    """With the message that Python gives."""
    with pytest.raises(TypeError, match=r"Thing\.__init__\(\)"):
        OURS(**arguments)
    with pytest.raises(TypeError):
        OURS("a")


def test_values_are_frozen():
    """And have no place for anything else."""
    thing = OURS(name="a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        thing.name = "b"
    with pytest.raises(dataclasses.FrozenInstanceError):
        del thing.name
    with pytest.raises(AttributeError):
        thing.other = 1
    assert not hasattr(thing, "__dict__")


def test_each_value_has_its_own_defaults():
    """A list is made anew; methods, properties and docstrings stay."""
    first, second = OURS(name="a"), OURS(name="a")
    first.tags.append("x")
    assert second.tags == []
    assert (second.double, OURS.small().size, OURS.__doc__) == (6, 1, "A thing.")
    assert OURS.__match_args__ == THEIRS.__match_args__
    assert OUR_PAIR.__match_args__ == THEIR_PAIR.__match_args__


def test_values_travel():
    """Between processes, and as copies."""
    sent = Sent(one=1, two=(2,))
    assert pickle.loads(pickle.dumps(sent)) == copy.copy(sent) == copy.deepcopy(sent) == sent


def test_what_is_not_frozen_is_not_made_here():
    """Nor what has a base."""
    with pytest.raises(TypeError, match="not frozen"):
        values.dataclass(frozen=False, slots=True)
    with pytest.raises(TypeError, match="has a base"):
        values.dataclass(frozen=True, slots=True)(type("Child", (OURS,), {}))
