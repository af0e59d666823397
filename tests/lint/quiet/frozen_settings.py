"""A FrozenDict can be hashed: it is a good static argument."""

import functools
import flax
import jax


@functools.partial(jax.jit, static_argnums=(1,))
def create(key, kwargs):
    return jax.random.normal(key, (kwargs["n"],))


def main(key, more):
    kwargs = {"n": 3}
    if more is not None:
        kwargs.update(more)
    kwargs = flax.core.freeze(kwargs)
    return create(key, kwargs)


def fine(key):
    kwargs = flax.core.freeze({"n": 3})
    return create(key, kwargs)
