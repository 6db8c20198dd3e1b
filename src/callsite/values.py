"""Frozen dataclasses that cost nothing to define: the same decorator as in `dataclasses`, without its compiled methods.

Importing `dataclasses` and defining our values with it takes 35 ms, a third of a whole warm search. Here the methods
are shared, and `__init__` is compiled for those classes only of which many instances are made. Whoever uses the
functions of `dataclasses` on a value (`fields`, `asdict`, `replace`) finds what they look for. Type checkers see the
original.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

TYPE_CHECKING = False  # checkers take a variable of this name for true; `typing` would cost 4 ms
if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
    from typing import Any
else:

    def dataclass(*, frozen, slots, kw_only=False):
        """Make a class of values; only frozen ones with slots and without a base are made here."""
        if not (frozen and slots):
            raise TypeError("use dataclasses.dataclass for what is not frozen or has no slots")
        return lambda described: _value_class(described, kw_only=kw_only)

    def field(*, default_factory):
        """A default that is made anew for each instance."""
        return _Factory(default_factory)

    def replace(value, /, **changes):
        """The value with other fields."""
        return type(value)(**{name: getattr(value, name) for name in value.__slots__} | changes)


_MADE_BEFORE_COMPILING = 30


class _Factory:
    def __init__(self, make: Callable[[], object]) -> None:
        self.make = make


class _Fields:
    """`__dataclass_fields__`, made by the original when somebody asks."""

    def __get__(self, value: object, kind: type[Value]) -> dict[str, Any]:
        import dataclasses

        namespace: dict[str, Any] = {"__annotations__": kind.__annotations__, "__module__": kind.__module__}
        for name, default in kind._defaults.items():
            made = isinstance(default, _Factory)
            namespace[name] = dataclasses.field(default_factory=default.make) if made else default
        twin: Any = dataclasses.dataclass(frozen=True, kw_only=kind._kw_only)(type(kind.__name__, (), namespace))
        return dict(twin.__dataclass_fields__)


class Value:
    """What all values share; not to be named by anybody else."""

    __slots__: tuple[str, ...] = ()
    __dataclass_fields__ = _Fields()
    _defaults: dict[str, Any] = {}  # noqa: RUF012
    _names: frozenset[str] = frozenset()
    _required: frozenset[str] = frozenset()
    _kw_only = True
    _n_made = 0

    def __init__(self, *given: object, **named: object) -> None:
        """Stands in for the first instances: compiling a constructor takes as long as making 50 values without it."""
        kind = type(self)
        kind._n_made += 1
        if given or kind._n_made > _MADE_BEFORE_COMPILING or not kind._required <= named.keys() <= kind._names:
            kind.__init__ = _compiled_init(kind)  # type: ignore[method-assign]
            kind.__init__(self, *given, **named)
            return
        for name in kind.__slots__:
            value = named[name] if name in named else kind._defaults[name]
            object.__setattr__(self, name, value.make() if isinstance(value, _Factory) else value)

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return _fields_of(self) == _fields_of(other)

    def __hash__(self) -> int:
        return hash(_fields_of(self))

    def __repr__(self) -> str:
        fields = zip(self.__slots__, _fields_of(self), strict=True)
        return f"{type(self).__qualname__}({', '.join(f'{name}={field!r}' for name, field in fields)})"

    def __setattr__(self, name: str, value: object) -> None:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (type(self), _fields_of(self))

    def __replace__(self, /, **changes: object) -> Value:
        return replace(self, **changes)  # type: ignore[type-var]


def _value_class(described: type, *, kw_only: bool) -> type:
    """A class with slots cannot be made from one without: its namespace is copied."""
    if described.__bases__ != (object,):
        raise TypeError(f"{described.__qualname__} has a base; a value has none")
    names = tuple(described.__annotations__)
    left_out = {"__dict__", "__weakref__", *names}
    namespace = {name: thing for name, thing in vars(described).items() if name not in left_out}
    defaults = {name: vars(described)[name] for name in names if name in vars(described)}
    namespace |= {
        "__slots__": names,
        "__qualname__": described.__qualname__,
        "__match_args__": () if kw_only else names,
        "_defaults": defaults,
        "_names": frozenset(names),
        "_required": frozenset(names) - defaults.keys(),
        "_kw_only": kw_only,
    }
    return type(described.__name__, (Value,), namespace)


def _compiled_init(kind: type[Value]) -> Callable[..., None]:
    """The constructor, as `dataclasses` would write it."""
    known: dict[str, Any] = {"_anew": _Factory}
    parameters, lines = [], []
    for name in kind.__slots__:
        known[f"_set_{name}"], value = getattr(kind, name).__set__, name
        default = kind._defaults.get(name)
        if isinstance(default, _Factory):
            known[f"_make_{name}"] = default.make
            parameters.append(f"{name}=_anew")
            value = f"_make_{name}() if {name} is _anew else {name}"
        elif name in kind._defaults:
            known[f"_default_{name}"] = default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        lines.append(f" _set_{name}(self, {value})")
    star = "*, " if kind._kw_only and parameters else ""
    exec(f"def __init__(self, {star}{', '.join(parameters)}):\n" + ("\n".join(lines) or " pass"), known)
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{kind.__qualname__}.__init__"
    return made


def _fields_of(value: Any) -> tuple[object, ...]:
    names = value.__slots__
    return attrgetter(*names)(value) if len(names) > 1 else tuple(getattr(value, name) for name in names)


def _restored(kind: type[Value], fields: tuple[object, ...]) -> Value:
    value = object.__new__(kind)
    for name, field_ in zip(kind.__slots__, fields, strict=True):
        object.__setattr__(value, name, field_)
    return value
