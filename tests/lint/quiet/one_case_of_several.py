"""Draws from one key of which at most one counts."""

import jax
import jax.numpy as jnp


def loot(key, counts):
    key, kind_key, amount_key = jax.random.split(key, 3)
    kind = jax.random.choice(kind_key, jnp.arange(3))
    is_rich = jax.random.uniform(key) < 0.5
    coal = jax.random.randint(amount_key, (), 1, 4) * (kind == 0) * is_rich
    iron = jax.random.randint(amount_key, (), 1, 3) * (kind == 1) * is_rich
    return counts + jnp.stack([coal, iron])
