"""Differentiates a loss that some parameters cannot move.

Rounding, `argmax`, comparisons and integers have no slope. JAX never says that a gradient is
missing: it is zero, the optimizer works, and these parameters stay as they were.

## The price
Parameters that never learn.
"""

import jax
import jax.numpy as jnp


@jax.jit
def step(params, batch, labels):
    def loss(params):
        hidden = jnp.tanh(batch @ params["encoder"])
        codes = jnp.round(hidden)  # ! zero-gradient/cut
        return jnp.mean((codes @ params["decoder"] - labels) ** 2)

    gradients = jax.grad(loss)(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)


params = {"encoder": jnp.ones((3, 4)), "decoder": jnp.ones(4)}
for _ in range(3):
    params = step(params, jnp.ones((8, 3)), jnp.zeros(8))
