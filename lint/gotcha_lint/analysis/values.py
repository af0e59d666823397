"""Kinds of values: a small lattice, as plain data that can be compared, joined and pickled."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from functools import cache, reduce
from typing import Any, NamedTuple

FunctionId = tuple[str, int]  # path of the file, number of the function in it
ClassId = tuple[str, int]
Site = tuple[str, int]  # path of the file, number of the node in it


class Kind(IntEnum):
    UNKNOWN = 0  # stays silent, unless it is a tracer: then its array leaves are
    NONE = 1
    STATIC = 2  # a Python value, known while tracing
    HOST = 3  # a numpy array
    ARRAY = 4  # a jax.Array, or a tracer of one
    KEY = 5  # a PRNG key (or several)
    TREE = 6  # a pytree that holds arrays: parameters, optimizer state, gradients
    FUNCTION = 7
    NAMED = 8  # something outside of the project, known by its qualified name
    CLASS = 9
    OBJECT = 10  # an instance of a class
    TUPLE = 11
    LIST = 12  # also dict, set: a mutable container of the program
    ITER = 13  # a generator or loader: iterating gives `items[0]`


class Via(NamedTuple):
    """One transform that a function went through, with the roles of its arguments."""

    name: str  # role: "jit", "grad", "vmap", "scan", ...
    site: Site
    static_nums: tuple[int, ...] = ()
    static_names: tuple[str, ...] = ()
    donate_nums: tuple[int, ...] = ()
    donate_names: tuple[str, ...] = ()
    known: bool = True  # False: the roles were given by an expression that could not be read
    has_aux: bool = False
    wrt: tuple[int, ...] = (0,)
    bound: int = -1  # parameters that were filled before it: what its positions count from
    unmapped: tuple[int, ...] = ()  # of vmap: the arguments with None in `in_axes`
    shaped: bool = True  # False: whether it gives an auxiliary result too could not be read
    filtered: bool = False  # arrays are traced, all else is static: `eqx.filter_jit`
    options: bool = False  # `jit(f, **options)` of a function's own `**options`: its caller says


class Value(NamedTuple):
    """What is known of a value at one place of a program."""

    kind: Kind = Kind.UNKNOWN
    tracer: bool = False
    maybe: bool = False  # only on some paths, or only by convention
    # NAMED, OBJECT: qualified name; STATIC: Python type; LIST: container type
    of: str = ""
    items: tuple[Value, ...] = ()
    targets: frozenset[FunctionId] = frozenset()
    cls: ClassId | None = None
    via: tuple[Via, ...] = ()
    bound: int = 0  # arguments that a partial or a bound method has filled from the left
    bound_names: frozenset[str] = frozenset()
    self_: tuple[Value, ...] = ()  # of a bound method: its object
    param: str = ""  # this is the enclosing function's own parameter, or a transform of it
    literal: Any = None  # STATIC: the constant; optimizers: names of what they are made of
    held: frozenset[FunctionId] = frozenset()  # functions that this closure holds, if known
    ident: int = 0  # tells keys and buffers apart
    made: str = ""  # def, lambda, partial, method
    site: Site | None = None  # where it was made


Kwargs = Mapping[str, Value]

UNKNOWN = Value()
NONE = Value(Kind.NONE)
STATIC = Value(Kind.STATIC)
ARRAY = Value(Kind.ARRAY)
TRACER = Value(Kind.ARRAY, tracer=True)
TREE = Value(Kind.TREE)
TRACED = Value(Kind.UNKNOWN, tracer=True)
HOST = Value(Kind.HOST)
KEY = Value(Kind.KEY)

STATIC_SELF = "static self"  # literal of an object that the cache of a jitted method is keyed by
# Decorators of what runs when an attribute is read -> the literal of such a method.
GETTERS = {"builtins.property": "property", "functools.cached_property": "cached property"}
ANY = "*"  # the name of an attribute whose name is computed
_LEVELS = 8  # of containers in containers that a function tells others about
OPTIMIZER = "optax.GradientTransformation"
FRESH = "fresh"  # what a pytree is: an optimizer's state from before the first update
CALLABLE = "callable"  # what a parameter, or one of several values, is: some function
DEVICE_KINDS = frozenset({Kind.ARRAY, Kind.KEY, Kind.TREE})


@cache
def named(name: str) -> Value:
    return Value(Kind.NAMED, of=name)


@cache
def defined(function: FunctionId) -> Value:
    return Value(Kind.FUNCTION, targets=frozenset({function}), made="def")


def static(python_type: str = "", literal: Any = None) -> Value:
    return Value(Kind.STATIC, of=python_type, literal=literal)


def instance(of: str, **more: Any) -> Value:
    return Value(Kind.OBJECT, of=of, **more)


_IDENT = Value._fields.index("ident")


def identified(value: Value, ident: int) -> Value:
    """The value with another identity: made so often that `_replace` is too slow for it."""
    return Value._make((*value[:_IDENT], ident, *value[_IDENT + 1 :]))


def is_tracer(value: Value) -> bool:
    """Certainly a traced array: its use as a Python number, bool or size fails."""
    return value.tracer and not value.maybe and value.kind in (Kind.ARRAY, Kind.KEY)


def holds_tracer(value: Value) -> bool:
    return value.tracer or any(map(holds_tracer, value.items))


def on_device(value: Value) -> bool:
    """Certainly a device array, or a container of one."""
    if value.kind in (Kind.TUPLE, Kind.LIST):
        return not value.maybe and any(map(on_device, value.items))
    return value.kind in DEVICE_KINDS and not value.maybe


def all_arrays(value: Value) -> bool:
    """Arrays on the device, or containers of nothing else."""
    if value.kind in (Kind.TUPLE, Kind.LIST):
        return bool(value.items) and not value.maybe and all(map(all_arrays, value.items))
    return value.kind in (Kind.ARRAY, Kind.TREE) and not value.maybe


def join(a: Value, b: Value) -> Value:
    """The least value that covers both, whichever comes first; `maybe` unless both are sure."""
    if a is b or a == b:
        return a
    if a.kind == b.kind:
        return _join_same(a, b)
    if a.kind > b.kind:
        a, b = b, a
    if a.kind is Kind.UNKNOWN:
        if a.tracer and not a.maybe and b.kind is Kind.ARRAY and b.tracer:
            # A traced argument that was computed with: its leaf is an array either way.
            return b._replace(of="") if b.of else b
        return Value(tracer=a.tracer or b.tracer, maybe=True)
    if a.kind is Kind.NONE:
        return b._replace(maybe=True, literal=None)
    if a.kind is Kind.STATIC and b.kind in (Kind.ARRAY, Kind.HOST):
        sure = a.of in ("int", "float") and not a.maybe
        return b._replace(maybe=b.maybe or not sure, of="")
    if a.kind is Kind.FUNCTION and b.kind is Kind.NAMED:
        return Value(maybe=True, of=CALLABLE)  # `step if debug else jax.jit`: nobody knows which
    if a.kind is Kind.TREE and b.kind in (Kind.TUPLE, Kind.LIST) and all_arrays(b):
        return Value(Kind.TREE, a.tracer or b.tracer, a.maybe)  # written out, then updated
    return Value(tracer=a.tracer or b.tracer, maybe=True)


def _join_same(a: Value, b: Value) -> Value:
    items = a.items
    if a.items != b.items:
        if len(a.items) == len(b.items):
            items = tuple(map(join, a.items, b.items))
        elif a.kind is Kind.LIST:
            some = [join_all(one.items) for one in (a, b) if one.items]
            items = (join_all(some),)
        else:
            return Value(tracer=holds_tracer(a) or holds_tracer(b), maybe=True)
    if a.kind in (Kind.NAMED, Kind.OBJECT, Kind.CLASS) and (a.of != b.of or a.cls != b.cls):
        return Value(tracer=a.tracer or b.tracer, maybe=True)
    return Value(
        kind=a.kind,
        tracer=a.tracer or b.tracer,
        maybe=a.maybe or b.maybe or (a.kind is Kind.ARRAY and a.tracer != b.tracer),
        of=a.of if a.of == b.of else "",
        items=items,
        targets=a.targets | b.targets,
        cls=a.cls if a.cls == b.cls else None,
        via=a.via if a.via == b.via else _join_via(a.via, b.via),
        bound=min(a.bound, b.bound),
        bound_names=a.bound_names | b.bound_names,
        self_=a.self_ if a.self_ == b.self_ else (),
        param=a.param if a.param == b.param else "",
        literal=a.literal if a.literal == b.literal else None,
        held=a.held if a.held == b.held else frozenset(),
        ident=a.ident if a.ident == b.ident else 0,
        made=max(a.made, b.made),
        site=a.site if a.site == b.site else None,
    )


def _join_via(a: tuple[Via, ...], b: tuple[Via, ...]) -> tuple[Via, ...]:
    """The longer way; of equally long ones the roles that hold in both (must)."""
    if len(a) != len(b) or [via.name for via in a] != [via.name for via in b]:
        return max(a, b, key=lambda way: (len(way), way))
    return tuple(map(_in_both, a, b))


def _in_both(a: Via, b: Via) -> Via:
    """One transform that both paths apply, with the roles that it gives on both."""
    if a[2:] == b[2:]:
        return min(a, b)  # applied at two places
    return min(a, b)._replace(
        static_nums=_common(a.static_nums, b.static_nums),
        static_names=_common(a.static_names, b.static_names),
        donate_nums=_common(a.donate_nums, b.donate_nums),
        donate_names=_common(a.donate_names, b.donate_names),
        known=a.known and b.known,
    )


def _common(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(sorted({*a} & {*b}))


def join_all(values: tuple[Value, ...] | list[Value]) -> Value:
    return reduce(join, values) if values else UNKNOWN


def anonymous(value: Value, levels: int = _LEVELS) -> Value:
    """The value without identities, which mean something within one function only.

    Recursion can nest containers without end: what is deeper than so many levels is left out.
    """
    items = value.items
    if items:
        items = tuple(anonymous(item, levels - 1) for item in items) if levels else ()
    if value.ident or items != value.items:
        return value._replace(ident=0, items=items)
    return value


def untraced(value: Value) -> Value:
    """The value as it is outside of any trace."""
    items = value.items
    if items:
        items = tuple(map(untraced, items))
    if value.tracer or items != value.items:
        return value._replace(tracer=False, items=items)
    return value


def content(container: Value) -> Value:
    """What a container's items have in common; the values of a dict whatever the key."""
    return join_all(container.items)


def under_key(container: Value, key: object) -> Value | None:
    """The value under a literal key of a dict that was written out; None where it is not known."""
    keys = container.literal
    if (
        container.of in ("dict", "frozen")
        and isinstance(keys, tuple)
        and key in keys
        and len(keys) == len(container.items)
    ):
        return container.items[keys.index(key)]
    return None
