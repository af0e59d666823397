"""Carries that come back as something else, and those that do not."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import struct


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


class Walk(NamedTuple):
    place: jax.Array
    count: jax.Array


@struct.dataclass
class Best:
    scores: jax.Array
    best: jax.Array


def of_a_named_tuple(walk):
    def step(walk, _):
        return Walk(walk.place + 1.0, walk.count + 1.0), None

    return jax.lax.scan(step, walk, None, 4)  # ! scan-carry-type


def of_a_struct(scores):
    def step(kept, _):
        return kept.replace(best=jnp.argmax(kept.scores)), None

    return jax.lax.scan(step, Best(scores, jnp.zeros(())), None, 4)  # ! scan-carry-type


def grown(walk):
    return jax.lax.while_loop(  # ! scan-carry-type
        lambda walk: walk.count < 3, lambda walk: walk._replace(place=walk.place.sum()), walk
    )


def same_fields(walk):
    def step(walk, _):
        return walk._replace(place=walk.place + 1.0, count=walk.count + 1), None

    return jax.lax.scan(step, walk, None, 4)


walk = Walk(jnp.zeros(3), jnp.int32(0))
walks = [of_a_named_tuple(walk), grown(walk), same_fields(walk), of_a_struct(jnp.zeros(3))]


def turned_complex(phases):
    """A matrix with a diagonal of complex numbers: its products are complex, their parts are not."""
    hops = jnp.diag(jnp.exp(1j * phases), 1)

    def step(state):
        v, _ = state
        v = hops @ v
        return v, jnp.vdot(v, v)

    def step_of_parts(state):
        v, _ = state
        v = hops @ v
        return v, jnp.vdot(v, v).real + jnp.abs(v[0]) + jnp.imag(v[1])

    start = jnp.ones(9, jnp.complex64), jnp.float32(0)
    parts = jax.lax.while_loop(lambda state: state[1] < 3, step_of_parts, start)
    return parts, jax.lax.while_loop(lambda s: s[1].real < 3, step, start)  # ! scan-carry-type


turned_complex(jnp.full(8, 0.5))
