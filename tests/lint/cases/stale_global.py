"""Globals that jitted functions read."""

import jax

rate = 0.1
factor = 2.0
table = None
steps = 0


def set_rate(value):
    global rate
    rate = value


@jax.jit
def scale(x):
    return x * rate  # ! stale-global


def init():
    global table
    table = [1.0, 2.0]


@jax.jit
def reads_a_constant(x):
    return x * factor


@jax.jit
def reads_what_is_set_up(x):
    return x * table[0]


@jax.jit
def takes_it_as_an_argument(x, rate):
    return x * rate


def eager(x):
    return x * rate


def count():
    global steps
    steps += 1
    return steps
