"""Two ways to compute one thing get the same key, and must give the same; two models are compared."""

import equinox as eqx
import jax
import jax.numpy as jnp


class Plain(eqx.Module):
    layer: eqx.nn.Linear

    def __init__(self, size, *, key):
        self.layer = eqx.nn.Linear(size, size, key=key)


class Residual(Plain):
    def __call__(self, x):
        return x + self.layer(x)


def trained(model, x):
    return jax.tree.map(lambda leaf: leaf * 0.9, model)


def one_by_one(keys):
    return jnp.stack([jax.random.normal(key) for key in keys])


keys = jax.random.split(jax.random.key(0), 3)
slow = one_by_one(keys)
fast = jax.vmap(jax.random.normal)(keys)
assert jnp.allclose(slow, fast, atol=1e-4)

key = jax.random.key(1)
plain = Plain(4, key=key)
residual = Residual(4, key=key)

plain = trained(plain, 1.0)
residual = trained(residual, 1.0)
