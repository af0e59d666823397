"""A loop over dimensions has a few turns; an array that is asked for its truth has one element."""

import jax
import jax.numpy as jnp


def points(key, n, d):
    key, first = jax.random.split(key)
    x = jax.random.uniform(first, (n, 1))
    for _ in range(d - 1):
        key, next_key = jax.random.split(key)
        x = jnp.append(x, jax.random.uniform(next_key, (n, 1)), 1)
    print("points", x.shape)
    return x


def generate(model, x, most, mask=None):
    while x.shape[1] < most:
        x = model(x, mask)
        if mask:
            mask = jnp.concatenate([mask, jnp.ones((mask.shape[0], 1))], axis=1)
    print("text", x.tolist())
    return x


print(points(jax.random.key(0), 100, 2))
