"""Noise-conditioned annealing with an immutable problem description."""
import dataclasses
from functools import partial

import jax
import jax.numpy as jnp


@dataclasses.dataclass(frozen=True)
class IsingProblem:
    size: int
    coupling: float = 1.0
    sweeps: int = 20

    @partial(jax.jit, static_argnums=0)
    def energy(self, spins):
        right = jnp.roll(spins, 1, 0)
        down = jnp.roll(spins, 1, 1)
        return -self.coupling * jnp.sum(spins * (right + down))

    @partial(jax.jit, static_argnums=0)
    def anneal(self, key, spins, beta):
        mask = jnp.indices((self.size, self.size)).sum(0) % 2

        def half(spins, inputs):
            key, parity = inputs
            field = sum(jnp.roll(spins, s, a) for s in (1, -1) for a in (0, 1))
            prob = jax.nn.sigmoid(2 * beta * self.coupling * field)
            new = jnp.where(jax.random.uniform(key, spins.shape) < prob, 1.0, -1.0)
            return jnp.where(mask == parity, new, spins), None

        keys = jax.random.split(key, 2 * self.sweeps)
        parity = jnp.arange(2 * self.sweeps) % 2
        return jax.lax.scan(half, spins, (keys, parity))[0]


def run(problem, betas, seed=0):
    key = jax.random.PRNGKey(seed)
    spins = jnp.ones((problem.size, problem.size))
    for beta in betas:
        key, sub = jax.random.split(key)
        spins = problem.anneal(sub, spins, jnp.float32(beta))
    return problem.energy(spins)


if __name__ == "__main__":
    print(float(run(IsingProblem(16), [0.1, 0.3, 0.6, 1.0])))
    print(float(run(dataclasses.replace(IsingProblem(16), sweeps=5), [0.5])))
