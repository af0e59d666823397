"""Draws whose results are replaced before anybody reads them."""

import jax


def starts(key, n):
    _, keys = jax.lax.scan(
        lambda k, _: (jax.random.split(k)[1], jax.random.split(k)[1]), key, None, n
    )
    keys = jax.random.split(key, n)
    return jax.vmap(jax.random.normal)(keys)


def noise(key):
    other = jax.random.fold_in(key, 1)
    x = jax.random.normal(key, (3,))
    y = jax.random.normal(key, (3,))  # gotcha: allow[unused-result] replaced on the next line
    y = jax.random.uniform(other, (3,))
    return x + y
