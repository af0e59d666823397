"""Bayesian optimisation of a toy reactor yield with a Gaussian process surrogate."""
import jax
import jax.numpy as jnp
import numpy as np


def yield_curve(x, rng):
    return float(np.sin(6 * x[0]) * x[1] + 0.5 * x[0] + 0.02 * rng.normal())


def rbf(a, b, lengthscale=0.3):
    d2 = jnp.sum((a[:, None] - b[None]) ** 2, axis=-1)
    return jnp.exp(-0.5 * d2 / lengthscale**2)


@jax.jit
def expected_improvement(x, y, valid, candidates, noise=1e-3):
    mask = valid[:, None] * valid[None]
    k = rbf(x, x) * mask + noise * jnp.eye(len(x)) + jnp.diag(1.0 - valid)
    ks = rbf(candidates, x) * valid
    chol = jnp.linalg.cholesky(k)
    alpha = jax.scipy.linalg.cho_solve((chol, True), y * valid)
    mean = ks @ alpha
    v = jax.scipy.linalg.solve_triangular(chol, ks.T, lower=True)
    std = jnp.sqrt(jnp.maximum(1.0 - jnp.sum(v**2, axis=0), 1e-9))
    best = jnp.max(jnp.where(valid > 0, y, -jnp.inf))
    z = (mean - best) / std
    return (mean - best) * jax.scipy.stats.norm.cdf(z) + std * jax.scipy.stats.norm.pdf(z)


class Observations:
    def __init__(self, capacity, dim):
        self.capacity, self.dim = capacity, dim
        self.xs, self.ys = [], []

    def add(self, x, y):
        self.xs.append(np.asarray(x, np.float32))
        self.ys.append(y)

    def arrays(self):
        n = len(self.ys)
        return np.stack(self.xs), np.asarray(self.ys, np.float32), np.ones(n, np.float32)


def optimise(budget, seed=0, num_candidates=256):
    rng = np.random.default_rng(seed)
    obs = Observations(budget, 2)
    for x in rng.random((3, 2)):
        obs.add(x, yield_curve(x, rng))
    while len(obs.ys) < budget:
        candidates = rng.random((num_candidates, 2)).astype(np.float32)
        scores = expected_improvement(*obs.arrays(), candidates)
        x = candidates[int(jnp.argmax(scores))]
        obs.add(x, yield_curve(x, rng))
    return max(obs.ys)


if __name__ == "__main__":
    print("best yield", optimise(budget=20))
