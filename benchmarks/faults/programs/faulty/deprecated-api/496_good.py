"""Adaptive-biasing-force sampler with a restart file."""
import pickle
import tempfile
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class ABFState(NamedTuple):
    x: jax.Array
    hist: jax.Array
    fsum: jax.Array
    key: jax.Array


def potential(x):
    return 2.0 * (x**2 - 1.0) ** 2


class Sampler:
    def __init__(self, bins=32, dt=2e-3, kT=0.3):
        self.edges = jnp.linspace(-2.0, 2.0, bins + 1)
        self.dt, self.kT, self.bins = dt, kT, bins

    def initial(self, seed):
        return ABFState(jnp.array(-1.0), jnp.zeros(self.bins), jnp.zeros(self.bins), jax.random.PRNGKey(seed))

    def update(self, state, _):
        key, sub = jax.random.split(state.key)
        force = -jax.grad(potential)(state.x)
        i = jnp.clip(jnp.digitize(state.x, self.edges) - 1, 0, self.bins - 1)
        hist, fsum = state.hist.at[i].add(1.0), state.fsum.at[i].add(force)
        bias = -fsum[i] / jnp.maximum(hist[i], 50.0)
        noise = jnp.sqrt(2.0 * self.kT * self.dt) * jax.random.normal(sub)
        x = jnp.clip(state.x + self.dt * (force + bias) + noise, -2.0, 2.0)
        return ABFState(x, hist, fsum, key), x

    def run(self, state, steps):
        return jax.jit(lambda s: jax.lax.scan(self.update, s, None, length=steps))(state)


def save(path, state):
    path.write_bytes(pickle.dumps(jax.tree.map(np.asarray, state)))


def load(path, like):
    host = pickle.loads(path.read_bytes())
    (device,) = like.x.devices()
    return jax.tree.map(lambda a: jax.device_put(a, device), host)


def restart(path, sampler, steps):
    state = load(path, sampler.initial(0))
    state, xs = sampler.run(state, steps)
    return state, xs


if __name__ == "__main__":
    sampler = Sampler()
    state, _ = sampler.run(sampler.initial(0), 4000)
    with tempfile.TemporaryDirectory() as d:
        path = Path(d) / "restart.pickle"
        save(path, state)
        state, xs = restart(path, sampler, 4000)
    print("visited bins", int((state.hist > 0).sum()), "mean position", float(xs.mean()))
