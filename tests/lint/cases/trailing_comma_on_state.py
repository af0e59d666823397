"""Tuples of one by a comma."""

import jax
import jax.numpy as jnp
import optax


@jax.jit
def step(params, x):
    return jax.tree.map(lambda leaf: leaf * x, params)


class Trainer:
    def __init__(self, params, tx):
        self.params, self.tx = params, tx
        self.shape = 3,

    def fit(self, batches):
        for batch in batches:
            self.params = step(self.params, batch),  # ! trailing-comma-on-state


def in_a_loop(params, batches):
    for batch in batches:
        params = step(params, batch),  # ! trailing-comma-on-state
    return params


def after_the_update(params, updates):
    params = optax.apply_updates(params, updates),  # ! trailing-comma-on-state
    return params


def right(params, batches):
    for batch in batches:
        params = step(params, batch)
        (params,) = (step(params, batch),)
        params = (step(params, batch),)[0]
    return params


def another_name(params, batches):
    for batch in batches:
        args = step(params, batch),
        params, = args
    return params


def unpacked(params, batches):
    for batch in batches:
        params, = step(params, batch)
    return params


def meant(shape, axis, x):
    shape = int(shape),
    axis = abs(axis),
    return jnp.zeros(shape), x.sum(axis)


def asked(shapes, xs):
    for shape in shapes:
        if isinstance(shape, int):
            shape = int(shape),
        xs.append(jnp.zeros(shape))
    return xs


def in_parentheses(params, batches):
    for batch in batches:
        params = (step(params, batch),)
    return params


class Config:
    learning_rate = (1e-3,)  # ! trailing-comma-on-state
    weight_decay = 0.01,  # ! trailing-comma-on-state
    epsilon = (1e-6,)  # ! trailing-comma-on-state
    kernel = (3,)
    widths = (64.0,)
    momentum = 0.9


class Search:
    learning_rate = (1e-3,)
    momentum = (0.9, 0.99)
