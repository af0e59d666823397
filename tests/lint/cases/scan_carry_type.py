"""Carries that come back as something else, and those that do not."""

import jax
import jax.numpy as jnp


def counts_in_floats(xs):
    def add(carry, x):
        total, count = carry
        return (total + x, count + x), None

    start = (jnp.zeros(()), jnp.zeros((), jnp.int32))
    return jax.lax.scan(add, start, xs)  # ! scan-carry-type


def half_precision_state(xs):
    def step(h, x):
        return jnp.tanh(h + x), h

    return jax.lax.scan(step, jnp.zeros(4, jnp.bfloat16), xs)  # ! scan-carry-type


def another_shape():
    def double(x):
        return jnp.concatenate([x, x])

    return jax.lax.while_loop(lambda x: x.sum() < 9, double, jnp.ones(2))  # ! scan-carry-type


def one_more_element(n):
    def turn(i, state):
        x, y = state
        return x, y, x + y

    return jax.lax.fori_loop(0, n, turn, (jnp.ones(3), jnp.ones(3)))  # ! scan-carry-type


def weak_start(xs):
    def add(carry, x):
        return carry + x, None

    return jax.lax.scan(add, 0, xs)


def same_type(xs):
    def add(carry, x):
        return {"total": carry["total"] + x, "count": carry["count"] + 1}, None

    return jax.lax.scan(add, {"total": jnp.zeros(()), "count": jnp.zeros((), jnp.int32)}, xs)


def converted(xs):
    def step(h, x):
        return jnp.tanh(h + x).astype(h.dtype), h

    return jax.lax.scan(step, jnp.zeros(4, jnp.bfloat16), xs)


def of_the_caller(start, xs):
    def add(carry, x):
        return carry + x, None

    return jax.lax.scan(add, start, xs)


def decided_elsewhere(xs, dtype=jnp.float32):
    def add(carry, x):
        return carry + x.astype(dtype), None

    return jax.lax.scan(add, jnp.zeros((), dtype), xs)


xs = jnp.ones((5,))
calls = [counts_in_floats(xs), weak_start(xs), same_type(xs)]
rows = [half_precision_state(jnp.ones((3, 4))), converted(jnp.ones((3, 4)))]
