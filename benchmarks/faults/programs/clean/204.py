"""Langevin dynamics: a few steps are unrolled, the blocks are scanned."""
from functools import partial

import jax
import jax.numpy as jnp


def score(params, x):
    h = jnp.tanh(x @ params["w1"] + params["b1"])
    return h @ params["w2"] - x


def step_single(params, x, key, dt):
    noise = jax.random.normal(key, x.shape)
    return x + dt * score(params, x) + jnp.sqrt(2 * dt) * noise


def step_n(params, x, key, dt, num_steps):
    for k in jax.random.split(key, num_steps):
        x = step_single(params, x, k, dt)
    return x


@partial(jax.jit, static_argnames=("num_blocks", "steps_per_block"))
def simulate(params, x, key, dt, num_blocks, steps_per_block=4):
    def block(x, key):
        x = step_n(params, x, key, dt, steps_per_block)
        return x, x
    return jax.lax.scan(block, x, jax.random.split(key, num_blocks))


def init(key, dim=3, width=32):
    k1, k2 = jax.random.split(key)
    return {"w1": 0.5 * jax.random.normal(k1, (dim, width)), "b1": jnp.zeros(width),
            "w2": 0.1 * jax.random.normal(k2, (width, dim))}


if __name__ == "__main__":
    params = init(jax.random.PRNGKey(0))
    x = jnp.zeros((64, 3))
    for epoch in range(3):
        x, path = simulate(params, x, jax.random.PRNGKey(epoch), 1e-2, num_blocks=25)
    print(path.shape, float(path.std()), simulate._cache_size())
