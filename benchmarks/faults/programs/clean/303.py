"""Second-order finite-difference Laplacian over the axes of a field, then diffusion."""
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@dataclass(frozen=True)
class Solver:
    spacing: tuple
    diffusivity: float
    dt: float


def shift(u, axis, offset):
    return jnp.roll(u, offset, axis=axis)


def laplacian(u, spacing):
    out = jnp.zeros_like(u)
    for axis, h in enumerate(spacing):
        out = out + (shift(u, axis, 1) - 2 * u + shift(u, axis, -1)) / h**2
    return out


def rk4(u, rhs, dt):
    weights = (1.0, 2.0, 2.0, 1.0)
    offsets = (0.0, 0.5, 0.5, 1.0)
    k, total = jnp.zeros_like(u), jnp.zeros_like(u)
    for w, c in zip(weights, offsets):
        k = rhs(u + c * dt * k)
        total = total + w * k
    return u + dt / 6.0 * total


@partial(jax.jit, static_argnames=("solver", "num_steps"))
def simulate(u, solver, num_steps):
    def rhs(v):
        return solver.diffusivity * laplacian(v, solver.spacing)

    def body(u, _):
        u = rk4(u, rhs, solver.dt)
        return u, u.max()

    return jax.lax.scan(body, u, None, length=num_steps)


def gaussian(shape, spacing, width=0.3):
    axes = [h * (np.arange(n) - n / 2) for n, h in zip(shape, spacing)]
    grids = np.meshgrid(*axes, indexing="ij")
    return jnp.asarray(np.exp(-sum(g**2 for g in grids) / width**2), jnp.float32)


def main():
    spacing = (0.1, 0.1, 0.2)
    solver = Solver(spacing, diffusivity=0.5, dt=1e-3)
    u0 = gaussian((16, 16, 8), spacing)
    u, peaks = simulate(u0, solver, num_steps=50)
    print("mass", float(u0.sum()), "->", float(u.sum()), "peak", float(peaks[-1]))


if __name__ == "__main__":
    main()
