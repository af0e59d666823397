"""Metadynamics on a double well; results are stored for a later analysis."""
import dataclasses
import pickle
import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass
class Result:
    method: str
    states: dict
    snapshots: list


def potential(x):
    return (x**2 - 1.0) ** 2 * 4.0


def bias(x, centers, height, width):
    return jnp.sum(height * jnp.exp(-0.5 * ((x - centers) / width) ** 2))


@jax.jit
def run_hills(key, x0, centers, filled):
    height, width, dt = 0.3, 0.2, 1e-3

    def md(x, key):
        masked = lambda y: potential(y) + bias(y, jnp.where(filled, centers, 1e3), height, width)
        noise = jnp.sqrt(2 * dt) * jax.random.normal(key)
        return x - dt * jax.grad(masked)(x) + noise, x

    return jax.lax.scan(md, x0, jax.random.split(key, 200))


class Metadynamics:
    def __init__(self, hills=20):
        self.hills = hills

    def run(self, seed=0):
        key, x = jax.random.PRNGKey(seed), jnp.array(-1.0)
        centers = jnp.zeros(self.hills)
        filled = jnp.zeros(self.hills, bool)
        snapshots = []
        for i in range(self.hills):
            key, sub = jax.random.split(key)
            x, path = run_hills(sub, x, centers, filled)
            centers = centers.at[i].set(x)
            filled = filled.at[i].set(True)
            snapshots.append(path)
        return Result("metad", {"centers": centers, "position": x}, snapshots)


def save(result, path):
    numpy_result = Result(result.method, jax.device_get(result.states),
                          jax.device_get(result.snapshots))
    with open(path, "wb") as f:
        pickle.dump(numpy_result, f)


def analyze(path):
    with open(path, "rb") as f:
        result = pickle.load(f)
    trajectory = np.concatenate([np.asarray(s) for s in result.snapshots])
    return type(result.states["centers"]), np.histogram(trajectory, 5)[0]


if __name__ == "__main__":
    out = Path(tempfile.mkdtemp()) / "metad.pickle"
    save(Metadynamics().run(), out)
    print(b"jax._src" in out.read_bytes(), *analyze(out))
