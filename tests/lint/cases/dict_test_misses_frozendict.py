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
