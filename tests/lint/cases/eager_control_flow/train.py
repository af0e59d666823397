"""A program that calls them in its loop."""

import jax
import jax.numpy as jnp
from sums import compiled_total, total, total_by_name, total_once


@jax.jit
def step(xs):
    return compiled_total(xs)


def train(steps):
    print(total_once(jnp.ones(3)))
    for number in range(steps):
        xs = jnp.full(3, float(number))
        print(step(xs), total(xs), total_by_name(xs))


train(10)
