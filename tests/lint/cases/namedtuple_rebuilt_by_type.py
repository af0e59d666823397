import jax
from typing import NamedTuple


def generator(x):
    if isinstance(x, tuple):
        return type(x)(generator(v) for v in x)  # ! namedtuple-rebuilt-by-type
    return x


def with_fields(x):
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*[with_fields(v) for v in x])
    elif isinstance(x, (list, tuple)):
        return type(x)(with_fields(v) for v in x)
    return x


def spread(x):
    if isinstance(x, tuple):
        return type(x)(*[spread(v) for v in x])
    return x


def lists(x):
    if isinstance(x, list):
        return type(x)([lists(v) for v in x])
    return x


def by_class(x):
    if isinstance(x, (tuple, list)):
        parts = [by_class(v) for v in x]
        return x.__class__(parts)  # ! namedtuple-rebuilt-by-type
    return jax.device_get(x)


def other(x, y):
    if isinstance(x, tuple):
        return type(y)([1])
    return x


def leaf(x):
    return type(x)([x])


@jax.jit
def decorated(x):
    return x
