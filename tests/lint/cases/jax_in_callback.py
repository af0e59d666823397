"""What compiled programs call back: with NumPy, and with JAX."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback


def log(losses):
    print(float(jnp.mean(losses)))  # ! jax-in-callback
    print(float(jnp.max(losses)))


def log_on_host(losses):
    print(float(np.mean(losses)))


def total(values):
    return jnp.sum(values)  # ! jax-in-callback


class Logger:
    def __init__(self):
        self.seen = []

    def add(self, metrics):
        if not jnp.isnan(metrics["loss"]):  # ! jax-in-callback
            self.seen.append(metrics)

    def add_on_host(self, metrics):
        if not np.isnan(metrics["loss"]):
            self.seen.append(metrics)


def in_both(x):
    return jnp.asarray(x).sum()


logger = Logger()


@jax.jit
def step(x):
    jax.debug.callback(log, x)
    jax.debug.callback(log_on_host, x)
    jax.debug.callback(logger.add, {"loss": x.sum()})
    jax.debug.callback(logger.add_on_host, {"loss": x.sum()})
    jax.debug.print("{}", jnp.mean(x))
    y = io_callback(total, jax.ShapeDtypeStruct((), jnp.float32), x)
    return y + jnp.sum(x)


@jax.jit
def with_a_setting(x):
    def show(name, value):
        print(name, np.asarray(value, jnp.float32))

    jax.debug.callback(partial(show, "x"), x)
    return in_both(x)


def on_the_host(x):
    return in_both(x) + jnp.mean(x)


step(jnp.ones(3))
with_a_setting(jnp.ones(3))
on_the_host(jnp.ones(3))
