import jax.numpy as jnp


def safe_root(x):
    return root(x)


def root(x):
    return jnp.where(x > 0, jnp.sqrt(x), 0.0)  # ! where-nan-gradient


def root_of_the_data(x):
    return jnp.where(x > 0, jnp.sqrt(x), 0.0)


def root_for_others(x):
    return jnp.where(x > 0, jnp.sqrt(x), 0.0)
