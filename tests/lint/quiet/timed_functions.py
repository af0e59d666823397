"""A decorator's inner function holds the function that it was given, not all that others were."""

import functools
import time

import jax
import jax.numpy as jnp


def timed(fn):
    @functools.wraps(fn)
    def inner(*args):
        return fn(*args)

    return inner


def named(name=None):
    def wrap(fn):
        def inner(*args, **kwargs):
            with jax.profiler.TraceAnnotation(name or fn.__name__):
                return fn(*args, **kwargs)

        return inner

    return wrap


@timed
def double(x):
    return x * 2


@named()
def triple(x):
    return jnp.where(x > 0, x * 3, x)


@jax.jit
def step(x):
    return double(x) + triple(x)


@timed
def train(turns):
    start = time.time()
    for _ in range(turns):
        jax.block_until_ready(step(1.0))
    return time.time() - start


@named("evaluation")
def evaluate(x):
    if jnp.sum(x) > 0:
        print("positive", float(jnp.sum(x)))
    return time.time()


train(3)
evaluate(jnp.ones(3))
