"""A probe that trains without dropout, beside a step that trains with it."""

import flax.linen as nn
import jax
import optax

net, tx = nn.Sequential([nn.Dense(3)]), optax.sgd(0.1)
drop = nn.Dropout(0.1)


@jax.jit
def probe(params, state, x):
    def loss(params):
        return drop.apply({}, net.apply(params, x), deterministic=True).sum()

    updates, state = tx.update(jax.grad(loss)(params), state, params)
    return optax.apply_updates(params, updates), state


@jax.jit
def step(params, state, x, key):
    def loss(params):
        rngs = {"dropout": key}
        return drop.apply({}, net.apply(params, x), deterministic=False, rngs=rngs).sum()

    updates, state = tx.update(jax.grad(loss)(params), state, params)
    return optax.apply_updates(params, updates), state
