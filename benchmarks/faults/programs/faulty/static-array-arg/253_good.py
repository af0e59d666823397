"""Adaptive HMC warm-up driven by a precomputed schedule."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


def build_schedule(num_steps, fast=20, first_window=10):
    """Stage (0 fast, 1 slow) and window ends of the warm-up."""
    stage = np.zeros(num_steps, np.int32)
    stage[fast:num_steps - fast] = 1
    ends = np.zeros(num_steps, bool)
    end, width = fast, first_window
    while end + width < num_steps - fast:
        end += width
        ends[end - 1] = True
        width *= 2
    return stage, ends


def logdensity(x):
    return -0.5 * jnp.sum((x / jnp.array([1.0, 3.0])) ** 2)


def hmc(key, x, step_size, inv_mass, n_leapfrog=5):
    k1, k2 = jax.random.split(key)
    p = jax.random.normal(k1, x.shape) / jnp.sqrt(inv_mass)
    grad = jax.grad(logdensity)
    q, r = x, p + 0.5 * step_size * grad(x)
    for _ in range(n_leapfrog):
        q = q + step_size * inv_mass * r
        r = r + step_size * grad(q)
    r = r - 0.5 * step_size * grad(q)
    energy = lambda q, p: -logdensity(q) + 0.5 * jnp.sum(inv_mass * p**2)
    prob = jnp.minimum(1.0, jnp.exp(energy(x, p) - energy(q, r)))
    return jnp.where(jax.random.uniform(k2) < prob, q, x), prob


@jax.jit
def warmup(key, x, stage, window_end):
    def body(carry, inputs):
        x, step_size, inv_mass, mean, m2, n = carry
        key, slow, end = inputs
        x, prob = hmc(key, x, step_size, inv_mass)
        step_size = step_size * jnp.exp(0.1 * (prob - 0.8))
        n = n + slow
        delta = x - mean
        mean = jnp.where(slow, mean + delta / jnp.maximum(n, 1), mean)
        m2 = jnp.where(slow, m2 + delta * (x - mean), m2)
        inv_mass = jnp.where(end, m2 / jnp.maximum(n - 1, 1) + 1e-3, inv_mass)
        return (x, step_size, inv_mass, mean, m2, n), None

    keys = jax.random.split(key, len(stage))
    zeros = jnp.zeros_like(x)
    init = (x, jnp.float32(0.3), jnp.ones_like(x), zeros, zeros, jnp.int32(0))
    return jax.lax.scan(body, init, (keys, jnp.asarray(stage), jnp.asarray(window_end)))[0]


def main():
    stage, window_end = build_schedule(300)
    result = warmup(jax.random.PRNGKey(0), jnp.ones(2), stage, window_end)
    print("step size", float(result[1]), "inverse mass", result[2])


if __name__ == "__main__":
    main()
