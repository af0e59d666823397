"""Gupta (second-moment) potential for a metal cluster, relaxed by gradient descent."""
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np


@dataclass(frozen=True)
class GuptaParams:
    a: float = 0.2061
    p: float = 10.229
    xi: float = 1.79
    q: float = 4.036
    r0: float = 2.884
    cutoff: float = 6.0


def pair_distances(positions):
    d = positions[:, None] - positions[None]
    r2 = jnp.sum(d**2, axis=-1)
    eye = jnp.eye(len(positions), dtype=bool)
    return jnp.sqrt(jnp.where(eye, 1.0, r2)), ~eye


def gupta_energy(positions, prm):
    r, pair = pair_distances(positions)
    inside = (pair & (r < prm.cutoff)).astype(positions.dtype)
    x = r / prm.r0 - 1.0
    repulsive = jnp.sum(inside * prm.a * jnp.exp(-prm.p * x), axis=1)
    density = jnp.sum(inside * prm.xi**2 * jnp.exp(-2.0 * prm.q * x), axis=1)
    attractive = jnp.sqrt(density)
    return jnp.sum(repulsive - attractive)


def relax(positions, prm, steps=100, lr=0.005, max_force=20.0):
    @jax.jit
    def step(pos):
        energy, grad = jax.value_and_grad(gupta_energy)(pos, prm)
        return pos - lr * jnp.clip(grad, -max_force, max_force), energy

    for _ in range(steps):
        positions, energy = step(positions)
    return positions, energy


def random_cluster(n, box, seed):
    """Random placement with a minimum distance; one adatom starts far away."""
    rng = np.random.default_rng(seed)
    points = []
    while len(points) < n - 1:
        trial = rng.uniform(0, box, 3)
        if all(np.linalg.norm(trial - p) > 2.0 for p in points):
            points.append(trial)
    points.append(np.full(3, 3.0 * box))
    return jnp.asarray(np.stack(points), jnp.float32)


if __name__ == "__main__":
    positions, energy = relax(random_cluster(8, 5.0, seed=1), GuptaParams())
    print("energy", float(energy), "all finite", bool(jnp.isfinite(positions).all()))
