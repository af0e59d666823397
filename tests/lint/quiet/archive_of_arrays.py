"""`jnp.load` of an archive gives arrays of numpy, which are on the host."""

import jax.numpy as jnp


def load(path, slots):
    data = jnp.load(path, allow_pickle=True)
    return {slot: None if data[slot].item() is None else data[slot] for slot in slots}
