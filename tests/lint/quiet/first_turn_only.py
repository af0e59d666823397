"""What the first turn alone does, or a handful of turns."""

import jax
import jax.numpy as jnp


@jax.jit
def step(w, x):
    return jnp.sum((w - x) ** 2), w - 0.1 * (w - x)


def train(w, batches):
    for i, x in enumerate(batches):
        if i == 0:
            with jax.profiler.trace("profile"):
                loss, w = step(w, x)
                jax.block_until_ready(loss)
        else:
            loss, w = step(w, x)
        if i % 100 == 0:
            print(i, loss)
    return w


def energy(r):
    return jnp.sum((r[:, None] - r[None]) ** 2)


@jax.jit
def descend(r):
    return r - 0.01 * jax.grad(energy)(r)


r = jnp.arange(12.0).reshape(4, 3)
for turn in range(100):
    r = descend(r)
    if turn % 20 == 0:
        force = -jax.grad(energy)(r)
        print(turn, float(jnp.abs(force).max()))
