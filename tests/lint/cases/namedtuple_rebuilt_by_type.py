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


def by_variable(tree):
    kind = type(tree)
    if isinstance(tree, tuple):
        return kind(by_variable(part) for part in tree)  # ! namedtuple-rebuilt-by-type
    return tree


def by_class_variable(tree):
    if isinstance(tree, (list, tuple)):
        kind = tree.__class__
        return kind([by_class_variable(part) for part in tree])  # ! namedtuple-rebuilt-by-type
    return tree


def by_chosen_kind(tree):
    kind = type(tree)
    if isinstance(tree, tuple):
        kind = tuple
        return kind(by_chosen_kind(part) for part in tree)
    return tree


def by_kind_of_another(tree, like):
    kind = type(like)
    if isinstance(tree, tuple):
        return kind(by_kind_of_another(part, like) for part in tree)
    return tree


def by_given_kind(tree, kind):
    if isinstance(tree, tuple):
        return kind(part for part in tree)
    return tree


def by_variable_of_fields(tree):
    kind = type(tree)
    if isinstance(tree, tuple) and not hasattr(tree, "_fields"):
        return kind(by_variable_of_fields(part) for part in tree)
    return tree
