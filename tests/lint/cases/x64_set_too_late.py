import jax
import jax.numpy as jnp
from jax import config

config.update("jax_enable_x64", True)


def late():
    x = jnp.ones(3)
    config.update("jax_enable_x64", True)  # ! x64-set-too-late
    return x + jnp.ones(3)


def early():
    jax.config.update("jax_enable_x64", True)
    return jnp.ones(3)


def off():
    x = jnp.ones(3)
    jax.config.update("jax_enable_x64", False)
    return x


def branches(flag):
    if flag:
        return jnp.ones(3)
    else:
        jax.config.update("jax_enable_x64", True)
        return jnp.zeros(3)


def both():
    x = jnp.ones(3)
    jax.config.update("jax_enable_x64", True)
    y = jnp.ones(3)
    jax.config.update("jax_enable_x64", False)
    return x, y
