"""Functions that read settings of their module."""

import jax
import jax.numpy as jnp

DISCOUNT = 0.95
SMOOTHING = 0.1
OPTIONS = {"weight": 1.0, "name": "mean"}
HISTORY = {"loss": 0.0}


@jax.jit
def returns(rewards):
    return jnp.cumsum(rewards * DISCOUNT)  # ! stale-global


@jax.jit
def smoothed(rewards):
    return rewards * SMOOTHING


@jax.jit
def weighted(loss):
    return OPTIONS["weight"] * loss  # ! stale-global


@jax.jit
def named(loss):
    return jnp.sum(loss) if OPTIONS["name"] == "sum" else jnp.mean(loss)


def on_the_host(loss):
    return OPTIONS["weight"] * loss + DISCOUNT


def remembered():
    return HISTORY["loss"]


@jax.jit
def given(loss, weight):
    return weight * loss
