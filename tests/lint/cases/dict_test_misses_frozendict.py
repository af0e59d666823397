from collections.abc import Mapping

import flax
import jax.numpy as jnp
import numpy as np


def to_jax(tree):
    if isinstance(tree, (dict, list)):  # ! dict-test-misses-frozendict
        return {k: to_jax(v) for k, v in tree.items()}
    return jnp.asarray(tree)


def mapping(tree):
    if isinstance(tree, Mapping):
        return {k: mapping(v) for k, v in tree.items()}
    return np.asarray(tree)


def unfrozen(tree):
    if isinstance(tree, flax.core.FrozenDict):
        tree = tree.unfreeze()
    if isinstance(tree, dict):
        return {k: unfrozen(v) for k, v in tree.items()}
    return np.asarray(tree)


def flat(tree):
    if isinstance(tree, dict):
        return list(tree)
    return np.asarray(tree)


def count(tree):
    if type(tree) is dict:  # ! dict-test-misses-frozendict
        return sum(count(part) for part in tree.values())
    return np.asarray(tree).size


def leaves(tree):
    if type(tree) != dict:  # ! dict-test-misses-frozendict
        return [np.asarray(tree)]
    return [leaf for part in tree.values() for leaf in leaves(part)]


def list_of(tree):
    if type(tree) is list:
        return [list_of(part) for part in tree]
    return np.asarray(tree)


def either(tree):
    if type(tree) is dict or isinstance(tree, Mapping):
        return {name: either(part) for name, part in tree.items()}
    return np.asarray(tree)


def of_another(tree, settings):
    if type(tree["settings"]) is dict:
        return of_another(tree["settings"], settings)
    return np.asarray(tree)


def plain_once(state):
    def walked(tree):
        if isinstance(tree, dict):  # ! dict-test-misses-frozendict
            return {k: walked(v) for k, v in tree.items()}
        return np.asarray(tree)

    pure = flax.serialization.to_state_dict(state)
    return walked(pure), walked(state.params)


def plain_or_not(state, frozen):
    def walked_too(tree):
        if isinstance(tree, dict):  # ! dict-test-misses-frozendict
            return {k: walked_too(v) for k, v in tree.items()}
        return np.asarray(tree)

    tree = flax.serialization.to_state_dict(state)
    if frozen:
        tree = state.params
    return walked_too(tree)


def plain_so_far(tree):
    if isinstance(tree, dict):  # ! dict-test-misses-frozendict
        return {k: plain_so_far(v) for k, v in tree.items()}
    return np.asarray(tree)


def saved(state):
    return plain_so_far(flax.serialization.to_state_dict(state))


def plain_and_handed_out(state):
    def converted(tree):
        if isinstance(tree, dict):  # ! dict-test-misses-frozendict
            return {k: converted(v) for k, v in tree.items()}
        return np.asarray(tree)

    return converted(flax.serialization.to_state_dict(state)), converted


class Log:
    def __init__(self):
        self.values = {}

    def log(self, data, prefix=""):
        for key, value in data.items():
            if isinstance(value, dict):  # ! dict-test-misses-frozendict
                self.log(value, prefix=f"{prefix}{key}/")
            else:
                self.values[prefix + key] = np.asarray(value)


def count(tree):
    total = 0
    for value in tree.values():
        if isinstance(value, dict):  # ! dict-test-misses-frozendict
            total += count(value)
        else:
            total += jnp.asarray(value).size
    return total


def other(tree, rows):
    for value in rows.items():
        if isinstance(value, dict):
            other(value, rows)
    return tree


log = Log()
log.log({"a": flax.core.freeze({"b": jnp.ones(3)})})
count(flax.core.freeze({"b": jnp.ones(3)}))


def names_of(tree):
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from names_of(value)
        else:
            yield name
