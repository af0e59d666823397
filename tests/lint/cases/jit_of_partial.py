"""Partials that are made anew, and those that stay."""

from functools import partial

import jax
import jax.numpy as jnp


def scale(x, factor):
    return x * factor


def in_a_loop(xs):
    for x in xs:
        print(jax.jit(partial(scale, factor=2.0))(x))  # ! jit-of-partial


def step(x):
    return jax.pmap(partial(scale, factor=3.0))(x)  # ! jit-of-partial


def made_once(xs):
    double = partial(scale, factor=2.0)
    for x in xs:
        print(jax.jit(double)(x))


def jitted_once(xs):
    double = jax.jit(partial(scale, factor=2.0))
    for x in xs:
        print(double(x))


def partial_of_jit(xs):
    for x in xs:
        print(partial(jax.jit, static_argnums=1)(scale)(x, 2.0))


def another_function_each_turn(functions, x):
    for function in functions:
        print(jax.jit(partial(function, factor=2.0))(x))


steps = {n: jax.jit(partial(scale, factor=n)) for n in range(10)}
