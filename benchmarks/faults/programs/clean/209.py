"""Sampler steps that are compiled once per set of settings."""
import functools

import jax
import jax.numpy as jnp
import numpy as np


def log_density(name, x):
    if name == "banana":
        return -0.5 * (x[0] ** 2 + (x[1] - x[0] ** 2) ** 2)
    return -0.5 * jnp.sum(x**2)


@functools.lru_cache(maxsize=None)
def make_kernel(name, leapfrog):
    grad = jax.grad(functools.partial(log_density, name))

    @jax.jit
    def kernel(key, x, eps):
        k1, k2 = jax.random.split(key)
        p0 = jax.random.normal(k1, x.shape)
        q, p = x, p0 + 0.5 * eps * grad(x)
        for i in range(leapfrog):
            q = q + eps * p
            p = p + (eps if i < leapfrog - 1 else 0.5 * eps) * grad(q)
        energy = lambda q, p: -log_density(name, q) + 0.5 * p @ p
        accept = jnp.log(jax.random.uniform(k2)) < energy(x, p0) - energy(q, p)
        return jnp.where(accept, q, x)

    return kernel


def sample(name, draws, leapfrog=3, eps=0.2, seed=0):
    x, out = jnp.zeros(2), []
    for key in jax.random.split(jax.random.PRNGKey(seed), draws):
        x = make_kernel(name, leapfrog)(key, x, eps)
        out.append(x)
    return np.asarray(jnp.stack(out))


if __name__ == "__main__":
    for name in ("banana", "normal", "banana"):
        print(name, sample(name, 60).std(0))
    print(make_kernel.cache_info(), make_kernel("banana", 3)._cache_size())
