"""Of the logarithm only the place of the largest is taken: -inf is never that."""

import jax
import jax.numpy as jnp


def choose(key, values, actions):
    score = jax.nn.softmax(3.0 * values)
    mean = jnp.sum(score * actions)
    scores = jnp.log(score) + jax.random.gumbel(key, score.shape)
    best = jnp.argmax(scores, axis=-1)
    return actions[best], mean
