"""Nightly job: a Gibbs sampler object per sensor, thousands of sensors in a row."""
import resource

import jax
import jax.numpy as jnp
import numpy as np


def read_sensor(index, n=120):
    rng = np.random.default_rng(index)
    change = int(rng.integers(30, 90))
    rate = np.where(np.arange(n) < change, rng.uniform(2, 5), rng.uniform(6, 12))
    return rng.poisson(rate).astype(np.float32)


class ChangePointSampler:
    """Two Poisson rates and a change point, conjugate updates."""

    def __init__(self, counts, prior=(2.0, 0.5)):
        self.counts = jnp.asarray(counts)
        self.prior = prior

    def init(self, key):
        tau = jnp.asarray(self.counts.shape[0] // 2)
        return key, tau, jnp.ones(2), jnp.zeros(())

    def body_fn(self, i, state):
        key, tau, rates, total = state
        key, k1, k2 = jax.random.split(key, 3)
        n = self.counts.shape[0]
        before = jnp.arange(n) < tau
        sums = jnp.stack([jnp.sum(self.counts * before), jnp.sum(self.counts * ~before)])
        sizes = jnp.stack([tau, n - tau]).astype(jnp.float32)
        a, b = self.prior
        rates = jax.random.gamma(k1, a + sums) / (b + sizes)
        left = jnp.cumsum(self.counts * jnp.log(rates[0]) - rates[0])
        right = self.counts * jnp.log(rates[1]) - rates[1]
        logits = left + (right.sum() - jnp.cumsum(right))
        tau = jax.random.categorical(k2, logits) + 1
        return key, tau, rates, total + tau

    def run(self, key, num_samples):
        _, _, rates, total = jax.lax.fori_loop(0, num_samples, self.body_fn, self.init(key))
        return {"tau": total / num_samples, "rates": rates}


def process(sensors, num_samples=50):
    summary, memory = {}, []
    for index in sensors:
        sampler = ChangePointSampler(read_sensor(index))
        out = sampler.run(jax.random.key(index), num_samples)
        summary[index] = float(out["tau"])
        memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return summary, memory


if __name__ == "__main__":
    summary, memory = process(range(15))
    print("tau of sensor 0:", round(summary[0], 1), "MiB after 2:", round(memory[1]), "after 15:", round(memory[-1]))
