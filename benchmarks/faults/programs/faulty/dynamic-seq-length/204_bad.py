"""Relax a small database of structures with a pair-potential surrogate."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass
class Structure:
    positions: np.ndarray
    cutoff: float = 1.8


def neighbor_list(positions, cutoff):
    delta = positions[:, None] - positions[None]
    dist = np.linalg.norm(delta, axis=-1)
    senders, receivers = np.nonzero((dist < cutoff) & (dist > 0))
    return senders.astype(np.int32), receivers.astype(np.int32)


def round_up(n, multiple):
    return -(-n // multiple) * multiple


def energy(positions, senders, receivers, edge_mask):
    d2 = jnp.sum((positions[senders] - positions[receivers]) ** 2, -1) + 1e-6
    inv6 = 1.0 / jnp.maximum(d2, 0.3) ** 3
    return 0.5 * jnp.sum(jnp.where(edge_mask, inv6**2 - inv6, 0.0))


energy_and_forces = jax.jit(jax.value_and_grad(energy))


class Calculator:
    def __init__(self, node_multiple=16, edge_multiple=256):
        self.node_multiple = node_multiple
        self.edge_multiple = edge_multiple

    def calculate(self, structure):
        senders, receivers = neighbor_list(structure.positions, structure.cutoff)
        n_atoms, n_edges = len(structure.positions), len(senders)
        mask = np.ones(n_edges, bool)
        e, g = energy_and_forces(structure.positions, senders, receivers, mask)
        return float(e), -np.asarray(g)


def relax(structure, calculator, steps=5, step_size=1e-3):
    for _ in range(steps):
        e, forces = calculator.calculate(structure)
        move = np.clip(step_size * forces, -0.05, 0.05)
        structure.positions = structure.positions + move
    return e


def load_database(n_structures=8, seed=0):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(9, 16, n_structures)
    return [Structure(rng.uniform(0, 3, (n, 3)).astype(np.float32)) for n in sizes]


if __name__ == "__main__":
    calc = Calculator()
    energies = [relax(s, calc) for s in load_database()]
    print("programs", energy_and_forces._cache_size(), np.round(energies, 2))
