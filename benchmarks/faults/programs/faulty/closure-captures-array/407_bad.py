"""Least-squares solve of a collocation system with a precomputed basis tensor."""
import time
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np


@dataclass
class Grid:
    elements: int = 120
    quad: int = 40
    modes: int = 600


def build_basis(grid, seed=0):
    rng = np.random.default_rng(seed)
    basis = rng.standard_normal((grid.elements, grid.quad, grid.modes)).astype(np.float32)
    return jnp.asarray(basis / np.sqrt(grid.modes))


def element_residual(coeffs, basis_e):
    u = basis_e @ coeffs
    return u + 0.1 * u**3


def force_error(coeffs, basis, target):
    def body(total, inputs):
        basis_e, target_e = inputs
        r = element_residual(coeffs, basis_e) - target_e
        return total + jnp.sum(r**2), None

    total, _ = jax.lax.scan(body, jnp.float32(0.0), (basis, target))
    return total / target.size


def make_objective(grid, target):
    basis = build_basis(grid)
    objective = jax.jit(jax.value_and_grad(lambda c: force_error(c, basis, target)))
    return objective


def gradient_descent(objective, coeffs, lr, iters):
    history = []
    for _ in range(iters):
        value, grad = objective(coeffs)
        coeffs = coeffs - lr * grad
        history.append(value)
    return coeffs, history


def main():
    grid = Grid()
    rng = np.random.default_rng(1)
    target = jnp.asarray(rng.standard_normal((grid.elements, grid.quad)).astype(np.float32))
    objective = make_objective(grid, target)
    coeffs = jnp.zeros(grid.modes)
    tic = time.perf_counter()
    coeffs, history = gradient_descent(objective, coeffs, lr=0.05, iters=5)
    jax.block_until_ready(coeffs)
    print("objective", float(history[-1]), "wall", round(time.perf_counter() - tic, 2))


if __name__ == "__main__":
    main()
