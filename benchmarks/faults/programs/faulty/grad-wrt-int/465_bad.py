"""Force-field parameter fitting: gradients of the non-bonded energy."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


def init_params(n_types=3):
    return {
        "charge": jnp.linspace(-0.4, 0.4, n_types),
        "sigma": jnp.full((n_types,), 0.32),
        "epsilon": jnp.full((n_types,), 0.5),
    }


def neighbour_pairs(positions, cutoff):
    pos = np.asarray(positions)
    i, j = np.triu_indices(len(pos), k=1)
    r = np.linalg.norm(pos[i] - pos[j], axis=-1)
    return jnp.asarray(np.stack([i, j], axis=1)[r < cutoff], dtype=jnp.int32)


def nonbonded_energy(types, positions, box, params, pairs):
    d = positions[pairs[:, 0]] - positions[pairs[:, 1]]
    d = d - box * jnp.round(d / box)
    r = jnp.sqrt(jnp.sum(d**2, axis=-1))
    ti, tj = types[pairs[:, 0]], types[pairs[:, 1]]
    sig = 0.5 * (params["sigma"][ti] + params["sigma"][tj])
    eps = jnp.sqrt(params["epsilon"][ti] * params["epsilon"][tj])
    x6 = (sig / r) ** 6
    coulomb = 138.935 * params["charge"][ti] * params["charge"][tj] / r
    return jnp.sum(4.0 * eps * (x6**2 - x6) + coulomb)


def make_energy(types):
    return partial(nonbonded_energy, types)


def fit(energy_fn, positions, box, pairs, params, target, lr=1e-4, steps=5):
    param_grad = jax.jit(jax.value_and_grad(energy_fn, argnums=-1))
    for _ in range(steps):
        energy, grads = param_grad(positions, box, params, pairs)
        scale = 2.0 * (energy - target)
        params = jax.tree.map(
            lambda p, g: p - lr * jnp.clip(scale * g, -10.0, 10.0), params, grads
        )
    return params, energy


if __name__ == "__main__":
    box = jnp.array([2.0, 2.0, 2.0])
    grid = jnp.stack(jnp.meshgrid(*[jnp.arange(3) * 0.6] * 3), -1).reshape(-1, 3)
    types = jnp.arange(len(grid)) % 3
    pairs = neighbour_pairs(grid, 0.9)
    params, energy = fit(make_energy(types), grid, box, pairs, init_params(), -50.0)
    print("energy", float(energy), "charges", params["charge"])
