import logging

import jax
import jax.numpy as jnp


@jax.jit
def prints(x):
    y = jnp.sum(x)
    print("sum", y)  # ! side-effect-in-jit
    return y


@jax.jit
def logs(x):
    logging.info("loss %s", x.mean())  # ! side-effect-in-jit
    return x


@jax.jit
def formats(x):
    name = f"{jnp.sum(x):.3f}"  # ! side-effect-in-jit
    return x, name


@jax.jit
def marks(x):
    print("tracing", x.shape)
    return x


@jax.jit
def debug(x):
    jax.debug.print("{}", x)
    return x


def eager(x):
    print(jnp.sum(x), f"{jnp.sum(x):.3f}")


@jax.jit
def complains(x):
    if x.ndim != 2:
        raise ValueError(f"needs a matrix, not {x}")
    return x


def shows(x):
    print(x)


@jax.jit
def callback(x):
    jax.debug.callback(shows, x)
    return x


def gradient(w):
    def loss(w):
        total = jnp.sum(w)
        return total

    value, grads = jax.value_and_grad(loss)(w)
    print(f"{value:.3f}")
    return grads
