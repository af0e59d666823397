"""Estimate marginals, with a total inferred from the noisy measurements."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass(frozen=True)
class Measurement:
    query: np.ndarray
    noisy: np.ndarray
    stddev: float


def minimum_variance_total(measurements):
    """Inverse-variance weighted estimate of the number of records."""
    weights, values = [], []
    for m in measurements:
        ones = np.ones(m.query.shape[1])
        v, *_ = np.linalg.lstsq(m.query.T, ones, rcond=None)
        if np.allclose(m.query.T @ v, ones):
            weights.append(1.0 / (m.stddev**2 * (v @ v)))
            values.append(float(v @ m.noisy))
    if not weights:
        return 1.0
    estimate = np.dot(weights, values) / np.sum(weights)
    return max(1, float(estimate))


@jax.jit
def multi_step(potentials, queries, noisy, total, lr):
    def loss(p):
        mu = total * jax.nn.softmax(p)
        return 0.5 * jnp.sum((queries @ mu - noisy) ** 2)

    def body(p, _):
        value, g = jax.value_and_grad(loss)(p)
        return p - lr * g, value

    return jax.lax.scan(body, potentials, None, length=50)


def estimate(measurements, domain):
    total = minimum_variance_total(measurements)
    queries = jnp.asarray(np.concatenate([m.query for m in measurements]), jnp.float32)
    noisy = jnp.asarray(np.concatenate([m.noisy for m in measurements]), jnp.float32)
    lr = 1.0 / (10.0 * max(total, 1.0) ** 2)
    potentials, values = multi_step(jnp.zeros(domain), queries, noisy, total, lr)
    return total * jax.nn.softmax(potentials), float(values[-1])


def measure(rng, records, domain, stddev):
    counts = rng.multinomial(records, np.ones(domain) / domain)
    q = np.eye(domain)
    return [Measurement(q, counts + rng.normal(scale=stddev, size=domain), stddev)]


def main():
    rng = np.random.default_rng(3)
    for records in (500, 120, 0, 40, 0):
        marginal, value = estimate(measure(rng, records, 10, 2.0), 10)
        print(records, round(float(marginal.sum()), 2), multi_step._cache_size())


if __name__ == "__main__":
    main()
