"""A draw that is printed, before the key is used."""

import jax


def level(key):
    return jax.random.normal(key, (4,))


@jax.jit
def create(key):
    return level(key) * 2


def start(key):
    print("first level", level(key))
    return create(key)
