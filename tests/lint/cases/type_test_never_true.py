from collections.abc import Mapping, Sequence
from typing import Any

import flax
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import torch
from flax.core import FrozenDict


class Stage(nn.Module):
    depth: int
    rates: float | Sequence[float] = 0.0
    options: dict[str, Any] | None = None

    def __post_init__(self):
        self.many = isinstance(self.rates, list)
        super().__post_init__()

    def setup(self):
        self.scale = 2.0 if isinstance(self.options, dict) else 1.0  # ! type-test-never-true

    def __call__(self, x):
        for i in range(self.depth):
            x = x * (self.rates[i] if isinstance(self.rates, list) else 1)  # ! type-test-never-true
        return x


class Both(nn.Module):
    rates: float | Sequence[float] = 0.0
    widths: Sequence[int] = ()

    @nn.compact
    def __call__(self, x, others):
        if isinstance(self.rates, (list, tuple)):
            x = x * self.rates[0]
        if isinstance(self.widths, list):
            x = x + 1
        elif isinstance(self.widths, tuple):
            x = x + 2
        return x + 1 if isinstance(others, list) else x


class Plain:
    def __init__(self, rates):
        self.rates = rates

    def __call__(self, x):
        return x * (self.rates[0] if isinstance(self.rates, list) else 1)


def decays(tree, name=""):
    if isinstance(tree, FrozenDict):  # ! type-test-never-true
        return {key: decays(value, key) for key, value in tree.items()}
    return name == "kernel"


class Decays:
    def mask(self, params):
        out = {}
        for key, value in params.items():
            assert isinstance(key, str)
            if not isinstance(value, flax.core.FrozenDict):  # ! type-test-never-true
                out[key] = key == "kernel"
            else:
                out[key] = self.mask(value)
        return out


def of_all_mappings(tree):
    if isinstance(tree, (dict, FrozenDict)):
        return {key: of_all_mappings(value) for key, value in tree.items()}
    return jnp.ndim(tree) > 1


def one_after_the_other(tree):
    if isinstance(tree, FrozenDict):
        return {key: one_after_the_other(value) for key, value in tree.items()}
    if isinstance(tree, Mapping):
        return {key: one_after_the_other(value) for key, value in tree.items()}
    return jnp.ndim(tree) > 1


def unfrozen(params):
    if isinstance(params, FrozenDict):
        params = params.unfreeze()
    return params


def by_function(x):
    if type(x) == torch.tensor:  # ! type-test-never-true
        return jnp.asarray(x.numpy())
    return x if type(x) is jnp.array else jnp.asarray(x)  # ! type-test-never-true


def by_abstract_class(x):
    return jax.Array != type(x)  # ! type-test-never-true


def by_type(x):
    if isinstance(x, torch.Tensor) or type(x) == np.ndarray:
        return jnp.asarray(x)
    return type(x) == type(jnp.array(1.0))


def by_annotation(field):
    return field.type == jax.Array
