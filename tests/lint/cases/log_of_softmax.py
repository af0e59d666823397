import jax
import jax.numpy as jnp
from flax import linen as nn
from jax.nn import softmax


def on_an_axis(x):
    return jnp.log(jax.nn.softmax(x, axis=1))  # ! log-of-softmax


def of_linen(x):
    return jnp.log(nn.softmax(x))  # ! log-of-softmax


def imported(x):
    return jnp.log(softmax(x))  # ! log-of-softmax


def stable(x):
    return jax.nn.log_softmax(x)


def small_number_added(x):
    return jnp.log(softmax(x) + 1e-8)


def masked(x, mask):
    return jnp.log(softmax(x, where=mask))


def two_steps(x):
    p = softmax(x)
    return p, jnp.log(p[0])
