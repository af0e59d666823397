"""Binary-to-polydisperse soft spheres: energy by species pairs, minimised with FIRE-like steps."""
import time
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class System(NamedTuple):
    positions: jax.Array
    species: np.ndarray
    sigma: jax.Array
    box: float


def displacement(a, b, box):
    d = a - b
    return d - box * jnp.round(d / box)


def soft_sphere(dr, sigma):
    overlap = jnp.maximum(1.0 - dr / sigma, 0.0)
    return 0.5 * overlap**2


def block_energy(ra, rb, sigma, box, same):
    d = jax.vmap(lambda a: jax.vmap(lambda b: displacement(a, b, box))(rb))(ra)
    r2 = jnp.sum(d**2, axis=-1)
    if same:
        eye = jnp.eye(len(ra), dtype=bool)
        r = jnp.sqrt(jnp.where(eye, 1.0, r2))
        return 0.5 * jnp.sum(jnp.where(eye, 0.0, soft_sphere(r, sigma)))
    return jnp.sum(soft_sphere(jnp.sqrt(r2), sigma))


def total_energy(positions, species, sigma, box):
    kinds = np.unique(species)
    energy = 0.0
    for i in kinds:
        for j in kinds[kinds >= i]:
            ra, rb = positions[species == i], positions[species == j]
            energy = energy + block_energy(ra, rb, sigma[i, j], box, same=bool(i == j))
    return energy


def minimise(system, steps, lr=0.2):
    grad = jax.jit(jax.value_and_grad(
        lambda r: total_energy(r, system.species, system.sigma, system.box)))
    positions, start = system.positions, time.perf_counter()
    for i in range(steps):
        energy, force = grad(positions)
        positions = positions - lr * force
        if i == 0:
            energy.block_until_ready()
            print("first evaluation", round(time.perf_counter() - start, 2), "s")
    return positions, energy


if __name__ == "__main__":
    n, kinds = 96, 16
    rng = np.random.default_rng(0)
    radii = np.linspace(0.8, 1.2, kinds)
    sigma = jnp.asarray(0.5 * (radii[:, None] + radii[None]), jnp.float32)
    pos = jnp.asarray(rng.uniform(0, 9.0, (n, 2)), jnp.float32)
    system = System(pos, np.arange(n) % kinds, sigma, 9.0)
    _, energy = minimise(system, 30)
    print("energy", float(energy))
