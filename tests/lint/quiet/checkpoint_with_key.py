"""All trees of a checkpoint are fetched; a random key is a few bytes, and pickles as it is."""

import pickle

import jax
import jax.numpy as jnp


def store(file, model, raw, step):
    key = jax.random.PRNGKey(0)
    saved = {"model": jax.device_get(model), "key": key, "step": step}
    pickle.dump(saved, file)
    pickle.dump((jax.random.key(1), raw), file)
    return jnp.zeros(())
