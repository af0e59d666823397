from dataclasses import dataclass
from typing import Tuple

import jax
import jax.numpy as jnp
import numpy as np


@dataclass(frozen=True)
class BoozerGrid:
    M: int = 3
    N: int = 3
    NFP: int = 2

    @property
    def modes(self):
        m, n = np.mgrid[0 : self.M + 1, -self.N : self.N + 1]
        return np.stack([m.ravel(), n.ravel() * self.NFP], axis=1)


class QuasisymmetryBoozer:
    """Penalises the part of |B| in Boozer modes that breaks the given helicity."""

    def __init__(self, grid: BoozerGrid, helicity: Tuple[int, int]):
        self.grid = grid
        self.helicity = helicity
        self.modes = jnp.asarray(grid.modes)

    def build(self):
        self._compute = jax.jit(self.compute)
        return self

    def spectrum(self, coeffs):
        theta = jnp.linspace(0, 2 * jnp.pi, 16, endpoint=False)
        phase = self.modes[:, :1] * theta - self.modes[:, 1:] * theta[::-1]
        return coeffs @ jnp.cos(phase) @ jnp.cos(phase).T / 16

    def compute(self, coeffs):
        B_mn = self.spectrum(coeffs)
        m, n = self.modes[:, 0], self.modes[:, 1]
        broken = m * self.helicity[1] != n * self.helicity[0]
        return B_mn[broken]

    def compute_scalar(self, coeffs):
        return 0.5 * jnp.sum(self._compute(coeffs) ** 2)


def optimize(objective, x0, iters=20, lr=0.02):
    grad = jax.jit(jax.value_and_grad(objective.compute_scalar))
    x = x0
    for _ in range(iters):
        f, g = grad(x)
        x = x - lr * g
    return x, float(f)


def main():
    grid = BoozerGrid()
    objective = QuasisymmetryBoozer(grid, helicity=(1, grid.NFP)).build()
    x0 = jax.random.normal(jax.random.key(0), (len(grid.modes),))
    print("eager", objective.compute(x0).shape)
    _, f = optimize(objective, x0)
    print("residual", f)


if __name__ == "__main__":
    main()
