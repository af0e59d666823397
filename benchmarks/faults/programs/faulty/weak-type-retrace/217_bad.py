"""Optimise the currents of a set of coils with a jitted Gauss-Newton step."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

MU0 = 4e-7 * np.pi


class Coil:
    def __init__(self, current, radius, height):
        self.current = float(np.squeeze(current))
        self.radius = float(np.squeeze(radius))
        self.height = float(np.squeeze(height))

    @property
    def params(self):
        return {"current": self.current, "radius": self.radius, "height": self.height}

    @params.setter
    def params(self, new):
        for name, value in new.items():
            setattr(self, name, value)


def axis_field(params, z):
    r2 = params["radius"] ** 2
    dist = (r2 + (z - params["height"]) ** 2) ** 1.5
    return MU0 * params["current"] * r2 / (2 * dist) * 1e6


@dataclasses.dataclass
class FieldProblem:
    z: jax.Array
    target: jax.Array
    damping: float = 1e-2


def residual(coils, z, target):
    return sum(axis_field(p, z) for p in coils) - target


@jax.jit
def levenberg_step(coils, z, target, damping):
    r = residual(coils, z, target)
    flat, unravel = ravel_pytree(coils)
    jac = jax.jacfwd(lambda v: residual(unravel(v), z, target))(flat)
    delta = jnp.linalg.solve(jac.T @ jac + damping * jnp.eye(flat.size), jac.T @ r)
    return unravel(flat - 0.2 * delta), jnp.mean(r**2)


def optimize(coils, problem, maxiter=10):
    for _ in range(maxiter):
        packed = [c.params for c in coils]
        new, cost = levenberg_step(packed, problem.z, problem.target, problem.damping)
        for coil, p in zip(coils, new):
            coil.params = p
    return float(cost)


if __name__ == "__main__":
    coils = [Coil(c, r, h) for c, r, h in [(1.0, 0.5, -0.5), (1.2, 0.6, 0.0), (0.9, 0.5, 0.5)]]
    z = jnp.linspace(-1, 1, 32)
    print(optimize(coils, FieldProblem(z, jnp.ones(32))),
          "programs", levenberg_step._cache_size())
