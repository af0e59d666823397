"""Sparse banded solver that checks the structure only when values are concrete."""
import jax
import jax.numpy as jnp
import numpy as np


def is_traced(x):
    return isinstance(x, jax.core.Tracer)


def bandwidth(rows, cols):
    width = jnp.max(jnp.abs(rows - cols))
    if is_traced(width):
        return None
    return int(width)


def check(rows, cols, values):
    width = bandwidth(rows, cols)
    if width is not None and width > 2:
        raise ValueError(f"bandwidth {width} is not supported")
    if not is_traced(values) and not bool(np.all(np.isfinite(values))):
        raise ValueError("non-finite entries")


def dense(rows, cols, values, n):
    return jnp.zeros((n, n)).at[rows, cols].add(values)


def solve(rows, cols, values, b):
    check(rows, cols, values)
    return jnp.linalg.solve(dense(rows, cols, values, b.shape[0]), b)


def residual(values, rows, cols, b, target):
    return jnp.sum((solve(rows, cols, values, b) - target) ** 2)


if __name__ == "__main__":
    n = 6
    rows = jnp.concatenate([jnp.arange(n), jnp.arange(1, n)])
    cols = jnp.concatenate([jnp.arange(n), jnp.arange(n - 1)])
    values = jnp.concatenate([jnp.full(n, 3.0), jnp.full(n - 1, -1.0)])
    b = jnp.ones(n)
    print("eager", solve(rows, cols, values, b))
    step = jax.jit(jax.grad(residual))
    print("gradient", step(values, rows, cols, b, jnp.full(n, 0.5)))
