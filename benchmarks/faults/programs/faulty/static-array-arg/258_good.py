"""Helioseismic-style inversion with arrays hidden behind a hashable wrapper."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def chi_square(coeffs, kernels, splittings):
    model = kernels @ coeffs
    return 0.5 * jnp.sum((model - splittings) ** 2) + 1e-2 * jnp.sum(coeffs**2)


def invert(kernels, splittings, iterations=30):
    args = jnp.asarray(kernels), jnp.asarray(splittings)
    coeffs = jnp.zeros(kernels.shape[1])
    grad = jax.grad(chi_square)
    for _ in range(iterations):
        coeffs = coeffs - 0.02 * grad(coeffs, *args)
    return float(chi_square(coeffs, *args)), coeffs


def bootstrap(kernels, splittings, sigma, replicas, seed=0):
    rng = np.random.default_rng(seed)
    draws = []
    for _ in range(replicas):
        noisy = splittings + rng.normal(scale=sigma, size=splittings.shape)
        _, coeffs = invert(kernels, noisy.astype(np.float32))
        draws.append(coeffs)
    return np.asarray(jnp.stack(draws)).std(0)


def main():
    rng = np.random.default_rng(1)
    kernels = rng.normal(size=(30, 6)).astype(np.float32)
    splittings = kernels @ np.arange(6, dtype=np.float32)
    print("std", bootstrap(kernels, splittings, 0.1, 6).round(3),
          "programs", chi_square._cache_size())


if __name__ == "__main__":
    main()
