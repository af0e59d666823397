import logging
from dataclasses import dataclass, field
from typing import List

import jax
import jax.numpy as jnp

log = logging.getLogger("eis")


@dataclass
class Circuit:
    name: str
    guess: List[float] = field(default_factory=lambda: [1.0, 0.5])


def impedance(theta, freq):
    r, c = jnp.exp(theta[0]), jnp.exp(theta[1])
    return r / (1.0 + (freq * r * c) ** 2)


def log_prob(theta, freq, z):
    resid = z - impedance(theta, freq)
    return -0.5 * jnp.sum(resid**2) / 0.05**2 - 0.5 * jnp.sum(theta**2)


def metropolis(key, theta0, freq, z, n=200):
    def step(carry, k):
        theta, lp = carry
        kp, ka = jax.random.split(k)
        prop = theta + 0.1 * jax.random.normal(kp, theta.shape)
        lp_new = log_prob(prop, freq, z)
        accept = jnp.log(jax.random.uniform(ka)) < lp_new - lp
        theta = jnp.where(accept, prop, theta)
        return (theta, jnp.where(accept, lp_new, lp)), theta

    init = (theta0, log_prob(theta0, freq, z))
    return jax.lax.scan(step, init, jax.random.split(key, n))[1]


def apply_bayesian_inference(circuits, freq, z, num_chains=3, seed=0):
    run = jax.jit(metropolis)
    key = jax.random.PRNGKey(seed)
    results = {}
    for circuit in circuits:
        chains = []
        for _ in range(num_chains):
            key, chain_key = jax.random.split(key)
            chains.append(run(chain_key, jnp.log(jnp.asarray(circuit.guess)), freq, z))
        results[circuit.name] = jnp.stack(chains)
        log.info("finished %s", circuit.name)
    return results


def main():
    freq = jnp.logspace(-1, 2, 24)
    z = impedance(jnp.log(jnp.array([2.0, 0.2])), freq)
    out = apply_bayesian_inference([Circuit("R-C"), Circuit("R-CPE")], freq, z)
    for name, chains in out.items():
        print(name, "between-chain std", float(chains[:, -1].std(axis=0).max()))


if __name__ == "__main__":
    main()
