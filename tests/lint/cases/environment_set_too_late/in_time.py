import os


def choose_platform():
    os.environ["JAX_PLATFORMS"] = "cpu"


choose_platform()

import jax.numpy as jnp  # noqa: E402

choose_platform()
print(jnp.ones(3))
