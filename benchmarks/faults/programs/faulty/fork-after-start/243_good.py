"""Bayesian fits of equivalent circuits, one circuit per process."""
import functools
import multiprocessing as mp

import jax
import jax.numpy as jnp
import numpy as np

FREQ = np.logspace(0, 4, 30)


def impedance(params, circuit, freq):
    w = 2 * np.pi * freq
    r0, r1, c = jnp.exp(params)
    parallel = r1 / (1 + 1j * w * r1 * c)
    if circuit == "R0-[R1,C1]":
        return r0 + parallel
    return r0 + parallel + r1 / jnp.sqrt(1j * w)


def log_posterior(params, circuit, z):
    resid = impedance(params, circuit, FREQ) - z
    return -0.5 * jnp.sum(jnp.abs(resid) ** 2) / 0.05**2 - 0.5 * jnp.sum(params**2)


def sample_circuit(circuit, z, draws, seed):
    logp = jax.jit(functools.partial(log_posterior, circuit=circuit, z=z))
    rng = np.random.default_rng(seed)
    x = np.zeros(3, np.float32)
    current, chain = float(logp(x)), []
    for _ in range(draws):
        prop = x + rng.normal(scale=0.05, size=3).astype(np.float32)
        new = float(logp(prop))
        if np.log(rng.uniform()) < new - current:
            x, current = prop, new
        chain.append(x)
    return circuit, np.mean(chain, 0), current


def perform_bayesian_inference(circuits, z, draws=200, processes=2):
    jobs = [(c, z, draws, i) for i, c in enumerate(circuits)]
    ctx = mp.get_context("spawn")
    with ctx.Pool(processes) as pool:
        return pool.starmap(sample_circuit, jobs)


def synthetic_data(seed=0):
    truth = jnp.array([0.1, 0.6, -5.0])
    z = np.asarray(impedance(truth, "R0-[R1,C1]", FREQ))
    rng = np.random.default_rng(seed)
    return z + 0.02 * (rng.normal(size=z.shape) + 1j * rng.normal(size=z.shape))


def main():
    z = synthetic_data().astype(np.complex64)
    for circuit, mean, logp in perform_bayesian_inference(
            ["R0-[R1,C1]", "R0-[R1,C1]-W1"], z):
        print(circuit, np.round(mean, 2), round(logp, 1))


if __name__ == "__main__":
    main()
