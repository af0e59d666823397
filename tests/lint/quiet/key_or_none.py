"""A key of its own for each turn, or none at all."""

import jax


def block(x, key=None):
    return x if key is None else x + jax.random.normal(key, x.shape)


def one_after_another(x, n, key=None):
    keys = None
    if key is not None:
        keys = jax.random.split(key, n)
    for i in range(n):
        subkey = keys[i] if keys is not None else None
        x = block(x, subkey)
    return x


def split_as_we_go(x, n, key=None):
    for _ in range(n):
        subkey = None
        if key is not None:
            key, subkey = jax.random.split(key)
        x = block(x, subkey)
    return x
