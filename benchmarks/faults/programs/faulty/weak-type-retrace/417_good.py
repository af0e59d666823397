"""Hamiltonian Monte Carlo with a warm-up phase that adapts the step size."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class HMCState(NamedTuple):
    position: jax.Array
    step_size: jax.Array
    log_avg: jax.Array
    count: jax.Array


def potential(q, data):
    mu, log_sigma = q[0], q[1]
    z = (data - mu) * jnp.exp(-log_sigma)
    return jnp.sum(0.5 * z**2 + log_sigma) + 0.5 * jnp.sum(q**2) / 10.0


def leapfrog(q, p, step_size, data, num_steps=8):
    grad = jax.grad(potential)

    def body(carry, _):
        q, p = carry
        p = p - 0.5 * step_size * grad(q, data)
        q = q + step_size * p
        p = p - 0.5 * step_size * grad(q, data)
        return (q, p), None

    (q, p), _ = jax.lax.scan(body, (q, p), None, length=num_steps)
    return q, p


@jax.jit
def hmc_step(state, key, data, adapting):
    k_mom, k_acc = jax.random.split(key)
    p0 = jax.random.normal(k_mom, state.position.shape)
    q1, p1 = leapfrog(state.position, p0, state.step_size, data)
    energy0 = potential(state.position, data) + 0.5 * jnp.sum(p0**2)
    energy1 = potential(q1, data) + 0.5 * jnp.sum(p1**2)
    accept_prob = jnp.minimum(1.0, jnp.exp(jnp.nan_to_num(energy0 - energy1, nan=-jnp.inf)))
    position = jnp.where(jax.random.uniform(k_acc) < accept_prob, q1, state.position)
    log_step = jnp.log(state.step_size) + adapting * 0.3 * (accept_prob - 0.8)
    log_avg = 0.9 * state.log_avg + 0.1 * log_step
    return HMCState(position, jnp.exp(log_step), log_avg, state.count + 1), accept_prob


def init(position, step_size=0.05):
    step_size = jnp.asarray(step_size, position.dtype)
    return HMCState(position, step_size, jnp.log(step_size), jnp.zeros((), jnp.int32))


def sample(key, data, num_warmup, num_samples):
    state = init(jnp.zeros(2))
    draws = []
    for i, k in enumerate(jax.random.split(key, num_warmup + num_samples)):
        state, _ = hmc_step(state, k, data, np.float32(i < num_warmup))
        if i >= num_warmup:
            draws.append(state.position)
    return state, np.asarray(jnp.stack(draws))


if __name__ == "__main__":
    data = np.random.default_rng(0).normal(1.5, 0.7, 100).astype(np.float32)
    state, draws = sample(jax.random.key(0), data, 60, 60)
    print("mean", draws.mean(0), "step size", float(state.step_size))
