import jax
import jax.numpy as jnp


@jax.jit
def branches(x):
    if x > 0:  # ! traced-if
        return x
    return -x


@jax.jit
def on_shape(x):
    if x.shape[0] > 2 and x.ndim == 1:
        return x
    return -x


@jax.jit
def on_none(x, mask=None):
    if mask is not None:
        x = x * mask
    return x


def outside(x):
    if jnp.sum(x) > 0:
        return x
    return -x
