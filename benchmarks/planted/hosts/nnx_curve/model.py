"""A perceptron with dropout."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from flax import nnx


class Perceptron(nnx.Module):
    """Dense, normalised, dropped out, dense."""

    def __init__(self, width: int, rngs: nnx.Rngs) -> None:
        self.hidden = nnx.Linear(1, width, rngs=rngs)
        self.norm = nnx.BatchNorm(width, rngs=rngs)
        self.dropout = nnx.Dropout(0.05, rngs=rngs)
        self.out = nnx.Linear(width, 1, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        h = nnx.gelu(self.norm(self.hidden(x)))
        h = self.dropout(h)
        return self.out(h)


def squared_error(model: Perceptron, x: jax.Array, y: jax.Array) -> jax.Array:
    residual = model(x) - y
    return jnp.mean(residual**2)
