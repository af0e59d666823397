"""Spectral element derivative matrices cached on the host and used under jit."""
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np


@lru_cache(maxsize=None)
def gauss_lobatto(order):
    if order == 1:
        return np.array([-1.0, 1.0])
    coeffs = np.polynomial.legendre.Legendre.basis(order).deriv().roots()
    return np.concatenate([[-1.0], np.sort(coeffs), [1.0]])


@lru_cache(maxsize=None)
def derivative_matrix(order):
    x = gauss_lobatto(order)
    n = len(x)
    c = np.array([np.prod([x[i] - x[j] for j in range(n) if j != i]) for i in range(n)])
    d = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                d[i, j] = c[i] / (c[j] * (x[i] - x[j]))
        d[i, i] = -d[i].sum()
    return d.astype(np.float32)


@jax.jit
def derivative(u):
    return u @ derivative_matrix(u.shape[-1] - 1).T


@jax.jit
def loss(u, target):
    return jnp.mean((derivative(u) - target) ** 2)


def fit(order, steps=200):
    x = jnp.asarray(gauss_lobatto(order), jnp.float32)
    target = jnp.cos(x)
    u = jnp.zeros_like(x)
    grad = jax.grad(loss)
    for _ in range(steps):
        u = u - 0.01 * grad(u, target)
    return loss(u, target)


if __name__ == "__main__":
    for order in (4, 6):
        print(order, float(fit(order)), derivative(jnp.asarray(gauss_lobatto(order) ** 2, jnp.float32)))
    print(derivative_matrix.cache_info())
