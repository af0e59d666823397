"""Posterior of a decay rate on hosts with and without GPUs."""
import os

import jax
import jax.numpy as jnp
import numpy as np


def use_cpu_only():
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["JAX_ENABLE_X64"] = "true"


use_cpu_only()


def log_posterior(theta, t, counts):
    log_rate, log_amp = theta
    mean = jnp.exp(log_amp - jnp.exp(log_rate) * t)
    return jnp.sum(counts * jnp.log(mean) - mean) - 0.5 * jnp.sum(theta**2)


@jax.jit
def metropolis(theta, logp, key, t, counts, scale=0.05):
    k1, k2 = jax.random.split(key)
    prop = theta + scale * jax.random.normal(k1, theta.shape, theta.dtype)
    new = log_posterior(prop, t, counts)
    accept = jnp.log(jax.random.uniform(k2)) < new - logp
    return jnp.where(accept, prop, theta), jnp.where(accept, new, logp), accept


def run_chain(theta0, t, counts, num_steps, seed=0):
    theta = jnp.asarray(theta0)
    logp = log_posterior(theta, t, counts)
    accepted = []
    for key in jax.random.split(jax.random.key(seed), num_steps):
        theta, logp, acc = metropolis(theta, logp, key, t, counts)
        accepted.append(acc)
    return theta, float(np.mean(jax.device_get(accepted)))


def make_counts(n=50, rate=0.7, amp=200.0, seed=1):
    t = np.linspace(0, 4, n)
    return t, np.random.default_rng(seed).poisson(amp * np.exp(-rate * t)).astype(np.float64)


if __name__ == "__main__":
    t, counts = make_counts()
    theta, rate = run_chain(np.array([0.0, 5.0]), t, counts, 300)
    print("platforms", jax.config.jax_platforms, "dtype", theta.dtype)
    print("rate", float(jnp.exp(theta[0])), "acceptance", rate)
