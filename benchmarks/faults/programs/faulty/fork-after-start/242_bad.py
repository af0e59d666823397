"""Fit orbits of many objects, the objects spread over worker processes."""
from concurrent.futures import ProcessPoolExecutor

import jax
import jax.numpy as jnp
import numpy as np

MU = 1.0


def keplerian_energy(state):
    r, v = state[:3], state[3:]
    return 0.5 * v @ v - MU / jnp.linalg.norm(r)


@jax.jit
def to_elements(state):
    r, v = state[:3], state[3:]
    h = jnp.cross(r, v)
    e = jnp.cross(v, h) / MU - r / jnp.linalg.norm(r)
    return jnp.array([-MU / (2 * keplerian_energy(state)), jnp.linalg.norm(e),
                      jnp.arccos(h[2] / jnp.linalg.norm(h))])


def convert_chunk(states):
    return np.stack([np.asarray(to_elements(s)) for s in states])


def split(data, n):
    return [c for c in np.array_split(data, n) if len(c)]


def process_data(states, n_workers):
    chunks = split(states, n_workers)
    if n_workers == 1:
        return convert_chunk(states)
    with ProcessPoolExecutor(max_workers=n_workers) as executor:
        futures = [executor.submit(convert_chunk, c) for c in chunks]
        return np.concatenate([f.result() for f in futures])


def random_states(n, seed=0):
    rng = np.random.default_rng(seed)
    r = rng.normal(size=(n, 3))
    r /= np.linalg.norm(r, axis=1, keepdims=True)
    v = rng.normal(scale=0.3, size=(n, 3)) + np.cross([0, 0, 1], r)
    return np.concatenate([r, v], 1).astype(np.float32)


def main():
    states = random_states(16)
    reference = process_data(states, n_workers=1)
    parallel = process_data(states, n_workers=2)
    print("max difference", np.abs(reference - parallel).max())


if __name__ == "__main__":
    main()
