"""The key of a dropout that is switched off: nobody draws from it."""

import time

import flax.linen as nn
import jax
import jax.numpy as jnp


class Reader(nn.Module):
    @nn.compact
    def __call__(self, x, training: bool = False):
        return nn.Dropout(0.2)(nn.Dense(3)(x), deterministic=not training)


@jax.jit
def check(state, x):
    return state.apply_fn(state.params, x, rngs={"dropout": jax.random.key(int(time.time()))})


@jax.jit
def check_named(state, x):
    key = jax.random.key(int(time.time()))
    return jnp.sum(state.apply_fn(state.params, x, training=False, rngs={"dropout": key}))


def evaluate(state, batches):
    return [(check(state, x), check_named(state, x)) for x in batches]
