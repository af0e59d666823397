from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def add(total, x):
    return total + jnp.sum(x)


@jax.jit
def scaled(x, scale):
    return x * scale


def sums(xs):
    total = 0.0
    for _ in range(100):
        total = add(total, np.ones(3, np.float32))  # ! weak-type-argument
    return total


def starts_with_an_array():
    total = jnp.zeros((), jnp.float32)
    for _ in range(100):
        total = add(total, np.ones(3, np.float32))
    return total


def always_a_number(xs):
    for _ in range(100):
        print(scaled(np.ones(3, np.float32), 0.5))


def always_strong():
    scale = jnp.array(1.0)
    for _ in range(100):
        scale = jnp.float32(0.5) * scale
        print(scaled(np.ones(3, np.float32), scale))


class State(NamedTuple):
    position: jax.Array
    speed: jax.Array


def reset(key, start):
    return State(jnp.array(start), jnp.zeros(()))


def reset_with_types(key, start):
    return State(jnp.array(start, jnp.float32), jnp.zeros(()))


@jax.jit
def move(states, actions):
    def one(state, action):
        speed = state.speed + 0.1 * action
        return State(state.position + 0.1 * speed, speed)

    return jax.vmap(one)(states, actions)


def environments(config):
    keys = jax.random.split(jax.random.key(0), 4)
    states = jax.vmap(lambda key: reset(key, float(config.start)))(keys)
    for _ in range(100):
        states = move(states, jnp.ones(4))  # ! weak-type-argument
    return states


@jax.jit
def roll(states, actions):
    def one(states, action):
        moved = jax.vmap(lambda s: State(s.position + s.speed * action, s.speed))(states)
        return moved, moved.position

    return jax.lax.scan(one, states, actions)


def typed_environments(config):
    keys = jax.random.split(jax.random.key(0), 4)
    states = jax.vmap(lambda key: reset_with_types(key, float(config.start)))(keys)
    for _ in range(100):
        states, _ = roll(states, jnp.ones(4))
    return states


@jax.jit
def add_up(totals, x):
    return {name: total + x for name, total in totals.items()}


def totals_of_a_scan(x):
    _, losses = jax.lax.scan(lambda carry, x: (carry, {"loss": 0.0}), x, x)
    for _ in range(100):
        losses = add_up(losses, x)  # ! weak-type-argument


def many(x):
    for _ in range(100):
        totals_of_a_scan(jnp.ones(3))
