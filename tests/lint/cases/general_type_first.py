import dataclasses
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import flax
import jax
import optax
from flax import nnx, struct
from flax.core import FrozenDict


class State(NamedTuple):
    mu: jax.Array


@struct.dataclass
class Carry:
    h: jax.Array


class Base:
    pass


class Special(Base):
    pass


SCALARS = (int, float)


def mapping_first(x):
    if isinstance(x, Mapping):
        return dict(x)
    if isinstance(x, FrozenDict):  # ! general-type-first
        return x.unfreeze()
    return x


def mapping_last(x):
    if isinstance(x, FrozenDict):
        return x.unfreeze()
    if isinstance(x, Mapping):
        return dict(x)
    return x


def nnx_state(x):
    if isinstance(x, (Mapping, list)):
        raise TypeError(x)
    elif isinstance(x, nnx.State):  # ! general-type-first
        return x.flat_state()


def does_not_end(x):
    if isinstance(x, Mapping):
        x = dict(x)
    if isinstance(x, FrozenDict):
        return x.unfreeze()


def names_by_fields(x):
    if isinstance(x, (list, tuple)):
        return [names_by_fields(v) for v in x]
    if isinstance(x, tuple) and hasattr(x, "_fields"):  # ! general-type-first
        return type(x)(*x)


def fields_first(x):
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*x)
    if isinstance(x, (list, tuple)):
        return [fields_first(v) for v in x]


def optimizer_state(x):
    if isinstance(x, tuple):
        return "tuple"
    elif isinstance(x, list):
        return "list"
    elif isinstance(x, optax.ScaleByAdamState):  # ! general-type-first
        return "adam"


def narrowed(x, deep):
    if isinstance(x, tuple) and deep:
        return "tuple"
    elif isinstance(x, State):
        return "state"


def booleans(x):
    if isinstance(x, SCALARS):
        return float(x)
    if isinstance(x, bool):  # ! general-type-first
        return x


def partly_reachable(x):
    if isinstance(x, int):
        return x
    if isinstance(x, (bool, str)):
        return str(x)


def text(x):
    if isinstance(x, Sequence):
        return [text(v) for v in x]
    if isinstance(x, str):  # ! general-type-first
        return x


def other_subject(x, y):
    if isinstance(x, Sequence):
        return x
    if isinstance(y, str):
        return y


def rebound(x):
    if isinstance(x, int):
        return x
    x = x.value
    if isinstance(x, bool):
        return x


def structs(x):
    if dataclasses.is_dataclass(x):
        return vars(x)
    if isinstance(x, Carry):  # ! general-type-first
        return x.h


def structs_first(x):
    if isinstance(x, Carry):
        return x.h
    if dataclasses.is_dataclass(x):
        return vars(x)


def arrays(x):
    if isinstance(x, jax.Array):
        return x
    elif isinstance(x, jax.core.Tracer):  # ! general-type-first
        return None


def tracers_first(x):
    if isinstance(x, jax.core.Tracer):
        return None
    elif isinstance(x, jax.Array):
        return x


def matched(x):
    match x:
        case [*items]:
            return items
        case State(mu):  # ! general-type-first
            return mu
        case {**rest}:
            return rest
        case flax.core.FrozenDict():  # ! general-type-first
            return x


def matched_in_order(x):
    match x:
        case State(mu):
            return mu
        case tuple(items) if len(items) > 2:
            return items
        case optax.EmptyState():
            return None
        case [*items]:
            return items


def classes(kind):
    if issubclass(kind, Base):
        return 1
    if issubclass(kind, Special):  # ! general-type-first
        return 2


def unknown(x, kinds):
    if isinstance(x, kinds):
        return 1
    if isinstance(x, State):
        return 2


HANDLERS = [
    (tuple, list),
    (State, list),  # ! general-type-first
    (FrozenDict, dict),
    (Mapping, dict),
]


def dispatch(x):
    for kind, handler in HANDLERS:
        if isinstance(x, kind):
            return handler(x)
    return x


def table_of_the_function(x):
    kinds = (
        (tuple, list),
        (State, list),  # ! general-type-first
    )
    for kind, handler in kinds:
        if isinstance(x, kind):
            return handler(x)
    return x


def table_in_the_right_order(x):
    kinds = ((State, list), (tuple, list))
    for kind, handler in kinds:
        if isinstance(x, kind):
            return handler(x)
    return x


def table_made_twice(x, deep):
    kinds = ((tuple, list), (State, list))
    if deep:
        kinds = ((State, list), *kinds)
    for kind, handler in kinds:
        if isinstance(x, kind):
            return handler(x)
    return x


def all_that_fit(x):
    kinds = ((tuple, "tuple"), (State, "state"))
    names = []
    for kind, name in kinds:
        if isinstance(x, kind):
            names.append(name)
    return names


def same_type_twice(x):
    if isinstance(x, dict):
        return 1
    elif isinstance(x, dict):
        return 2


def skips_what_does_not_fit(x):
    kinds = (
        (tuple, list),
        (State, list),  # ! general-type-first
    )
    for kind, handler in kinds:
        if not isinstance(x, kind):
            continue
        return handler(x)
    return x


def found_otherwise(x):
    kinds = (
        (tuple, list),
        (State, list),  # ! general-type-first
    )
    for kind, handler in kinds:
        if not isinstance(x, kind):
            print(kind)
        else:
            return handler(x)
    return x


def skips_and_goes_on(x):
    names = []
    for kind, name in ((tuple, "tuple"), (State, "state")):
        if not isinstance(x, kind):
            continue
        names.append(name)
    return names


def is_of_all_kinds(x):
    for kind, name in ((tuple, "tuple"), (State, "state")):
        if not isinstance(x, kind):
            return name
    return ""
