"""A small network, its loss and its batches: what most prices are measured on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

Params = list[tuple[jax.Array, jax.Array]]
RATE = 0.01


def params(sizes: tuple[int, ...] = (64, 256, 256, 10)) -> Params:
    keys = jax.random.split(jax.random.key(0), len(sizes))
    pairs = zip(keys, sizes, sizes[1:], strict=False)
    return [(jax.random.normal(key, (m, n)) * m**-0.5, jnp.zeros(n)) for key, m, n in pairs]


def batch(rows: int = 32, columns: int = 64, seed: int = 0) -> jax.Array:
    numbers = np.random.default_rng(seed).normal(size=(rows, columns))
    return jnp.asarray(numbers.astype(np.float32))


def batches() -> Iterator[jax.Array]:
    """A few, over and over: making them is not what is measured."""
    return itertools.cycle([batch(seed=seed) for seed in range(4)])


def predict(params: Params, x: jax.Array) -> jax.Array:
    for weights, bias in params[:-1]:
        x = jnp.tanh(x @ weights + bias)
    weights, bias = params[-1]
    return x @ weights + bias


def loss(params: Params, x: jax.Array) -> jax.Array:
    return jnp.mean(predict(params, x) ** 2)


def step(params: Params, x: jax.Array) -> Params:
    """One step of gradient descent; whether it is jitted is up to the caller."""
    gradients = jax.grad(loss)(params, x)
    return jax.tree.map(lambda p, g: p - RATE * g, params, gradients)
