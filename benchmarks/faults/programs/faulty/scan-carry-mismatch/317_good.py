from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


class IsingChain:
    def __init__(self, n, coupling=1.0, field=0.2):
        self.n, self.coupling, self.field = n, coupling, field

    def energy(self, spins):
        def bond(i, total):
            return total - self.coupling * spins[:, i] * spins[:, i + 1]

        e = lax.fori_loop(0, self.n - 1, bond, jnp.zeros(spins.shape[0]))
        return e - self.field * spins.sum(axis=1)


@partial(jax.jit, static_argnums=0)
def metropolis_sweep(model, key, spins, beta):
    def site(i, carry):
        key, spins = carry
        key, k = jax.random.split(key)
        flipped = spins.at[:, i].multiply(-1.0)
        delta = model.energy(flipped) - model.energy(spins)
        accept = jax.random.uniform(k, delta.shape) < jnp.exp(-beta * delta)
        return key, jnp.where(accept[:, None], flipped, spins)

    return lax.fori_loop(0, model.n, site, (key, spins))


def run(model, chains=16, sweeps=20, beta=0.7):
    key = jax.random.key(0)
    spins = jnp.ones((chains, model.n))
    energies = []
    for _ in range(sweeps):
        key, spins = metropolis_sweep(model, key, spins, beta)
        energies.append(model.energy(spins).mean())
    return jnp.stack(energies)


if __name__ == "__main__":
    e = run(IsingChain(10))
    print("mean energy per site", float(e[5:].mean()) / 10)
