"""Equal numbers that a comment asks for."""

import jax


def rollout(params, key):
    return params * jax.random.normal(key, (3,))


def learn(params, key):
    before = rollout(params, key)
    params = params - 0.1
    after = rollout(params, key)  # the same seed as before the update
    return after - before
