"""Epidemic on a contact network, repeated over seeds and infection rates."""
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class InfectState(NamedTuple):
    infected: jax.Array
    key: jax.Array


def random_network(n, mean_degree, seed=0):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.uniform(size=(n, n)) < mean_degree / n, 1)
    return jnp.asarray(upper | upper.T, jnp.float32)


def infect(state, adjacency, rate, recovery=0.1):
    key, k1, k2 = jax.random.split(state.key, 3)
    pressure = adjacency @ state.infected
    catch = jax.random.uniform(k1, pressure.shape) < 1 - jnp.exp(-rate * pressure)
    heal = jax.random.uniform(k2, pressure.shape) < recovery
    infected = jnp.where(state.infected > 0, ~heal, catch).astype(jnp.float32)
    return InfectState(infected, key)


def pandemic(state, adjacency, rate, steps):
    @functools.partial(jax.jit, static_argnums=(3,))
    def scan_pandemic(state, adjacency, rate, steps):
        def body(s, _):
            s = infect(s, adjacency, rate)
            return s, s.infected.mean()
        return jax.lax.scan(body, state, None, length=steps)

    return scan_pandemic(state, adjacency, rate, steps)


def attack_curve(adjacency, rates, seeds, steps=60):
    start = jnp.zeros(len(adjacency)).at[:3].set(1.0)
    curve = []
    for rate in rates:
        finals = []
        for seed in seeds:
            _, prevalence = pandemic(InfectState(start, jax.random.PRNGKey(seed)),
                                     adjacency, rate, steps)
            finals.append(prevalence[-1])
        curve.append(jnp.stack(finals).mean())
    return np.asarray(jnp.stack(curve))


if __name__ == "__main__":
    print(attack_curve(random_network(100, 6), [0.01, 0.03, 0.1], range(3)))
