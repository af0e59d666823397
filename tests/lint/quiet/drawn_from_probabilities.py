"""Where a probability has underflowed to 0 nothing is drawn, which is what it says."""

import jax
import jax.numpy as jnp


def resampled(key, energies, states):
    weights = jax.nn.softmax(-energies, axis=-1)
    chosen = jax.random.categorical(key, jnp.log(weights), axis=-1)
    return states[chosen]
