"""Lennard-Jones calculator with an ASE-like interface, used by a velocity-Verlet driver."""
import jax
import jax.numpy as jnp
import numpy as np


class Atoms:
    def __init__(self, positions, cell, mass=1.0):
        self.positions = np.asarray(positions, np.float32)
        self.cell = float(cell)
        self.mass = mass
        self.velocities = np.zeros_like(self.positions)


def periodic_displacement(cell):
    def displacement(a, b):
        d = a - b
        return d - cell * jnp.round(d / cell)

    return displacement


def lennard_jones_pair(displacement, sigma, epsilon):
    metric = jax.vmap(jax.vmap(displacement, (None, 0)), (0, None))

    def energy(r):
        d = metric(r, r)
        mask = ~jnp.eye(len(r), dtype=bool)
        r2 = jnp.where(mask, jnp.sum(d**2, -1), 1.0)
        s6 = (sigma**2 / r2) ** 3
        return 0.5 * jnp.sum(jnp.where(mask, 4 * epsilon * (s6**2 - s6), 0.0))

    return energy


class LennardJonesCalculator:
    implemented_properties = ("energy", "forces")

    def __init__(self, sigma=1.0, epsilon=1.0):
        self.sigma, self.epsilon = sigma, epsilon
        self._cell = None

    def _setup(self, atoms):
        displacement = periodic_displacement(atoms.cell)
        energy_fn = lennard_jones_pair(displacement, self.sigma, self.epsilon)
        self._evaluate = jax.jit(jax.value_and_grad(energy_fn))
        self._cell = atoms.cell

    def calculate(self, atoms):
        if self._cell != atoms.cell:
            self._setup(atoms)
        energy, grad = self._evaluate(atoms.positions)
        return {"energy": float(energy), "forces": -np.asarray(grad)}


def velocity_verlet(atoms, calc, dt, steps):
    res = calc.calculate(atoms)
    for _ in range(steps):
        atoms.velocities += 0.5 * dt * res["forces"] / atoms.mass
        atoms.positions += dt * atoms.velocities
        res = calc.calculate(atoms)
        atoms.velocities += 0.5 * dt * res["forces"] / atoms.mass
    return res["energy"] + 0.5 * atoms.mass * float((atoms.velocities**2).sum())


if __name__ == "__main__":
    grid = np.stack(np.meshgrid(*[np.arange(3) * 1.2] * 3), -1).reshape(-1, 3)
    total = velocity_verlet(Atoms(grid, 3.6), LennardJonesCalculator(), 0.002, 15)
    print("total energy", total)
