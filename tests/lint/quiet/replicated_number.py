"""The number of the step is a value, not a size."""

import flax
import jax

update = jax.pmap(lambda params, step: params)


def train(params, total):
    for step in range(total):
        params = update(params, flax.jax_utils.replicate(step))
    return params
