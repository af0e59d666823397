"""Nested-sampling style model object with a sanity check and a jitted likelihood."""
import functools

import jax
import jax.numpy as jnp
import numpy as np


class LinearModel:
    """Linear model y = A(basis) w + noise with a correlated noise covariance."""

    def __init__(self, times, data, num_basis=4, noise=0.3):
        self.times = np.asarray(times, np.float32)
        self.data = np.asarray(data, np.float32)
        self.num_basis = num_basis
        self.noise = noise

    @functools.cached_property
    def design(self):
        k = np.arange(1, self.num_basis + 1)
        return np.sin(self.times[:, None] * k).astype(np.float32)

    @functools.cached_property
    def chol(self):
        d = np.abs(self.times[:, None] - self.times[None])
        cov = self.noise**2 * (np.exp(-d) + 1e-3 * np.eye(len(self.times)))
        return np.linalg.cholesky(cov).astype(np.float32)

    def prior_transform(self, u):
        return 4.0 * (u - 0.5)

    def log_likelihood(self, u):
        resid = self.data - self.design @ self.prior_transform(u)
        white = jax.scipy.linalg.solve_triangular(self.chol, resid, lower=True)
        return -0.5 * jnp.sum(white**2) - jnp.sum(jnp.log(jnp.diag(self.chol)))

    def sanity_check(self, key, num=8):
        u = jax.random.uniform(key, (num, self.num_basis))
        logl = jax.jit(jax.vmap(self.log_likelihood))(u)
        assert bool(jnp.all(jnp.isfinite(logl))), "non-finite likelihood in the prior volume"


def random_search(model, key, num_samples):
    evaluate = jax.jit(jax.vmap(model.log_likelihood))
    u = jax.random.uniform(key, (num_samples, model.num_basis))
    logl = evaluate(u)
    best = jnp.argmax(logl)
    return model.prior_transform(u[best]), logl[best]


def main():
    rng = np.random.default_rng(0)
    t = np.linspace(0, 3, 30)
    y = np.sin(t) - 0.5 * np.sin(2 * t) + 0.1 * rng.normal(size=30)
    model = LinearModel(t, y)
    model.sanity_check(jax.random.key(0))
    weights, logl = random_search(model, jax.random.key(1), 2000)
    print("weights", np.asarray(weights).round(2), "logl", float(logl))


if __name__ == "__main__":
    main()
