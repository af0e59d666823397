"""Each set of settings starts from the same numbers: that is what makes them comparable."""

import jax
import jax.numpy as jnp

SETTINGS = (
    dict(rate=0.09, momentum=0.0),
    dict(rate=0.12, momentum=0.4),
)


def run(key, start, rate, momentum):
    noise = jax.random.normal(key, start.shape)
    return start - rate * noise * (1 - momentum)


def compare(start):
    key = jax.random.key(0)
    results = []
    for number, settings in enumerate(SETTINGS):
        results.append((number, run(key, start, **settings)))
    return results


print(compare(jnp.ones(3)))
