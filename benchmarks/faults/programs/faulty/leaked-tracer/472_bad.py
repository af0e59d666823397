"""Gaussian process regression with an optional jitted fit."""
from dataclasses import dataclass, field
from functools import partial

import jax
import jax.numpy as jnp
from jax.scipy.linalg import cho_solve, cholesky


@dataclass
class RBF:
    length: float = 0.5
    variance: float = 1.0

    def __call__(self, a, b):
        d2 = jnp.sum((a[:, None] - b[None]) ** 2, axis=-1)
        return self.variance * jnp.exp(-0.5 * d2 / self.length**2)


@dataclass(eq=False)
class GP:
    kernel: RBF = field(default_factory=RBF)
    alpha: float = 1e-4
    x: jax.Array | None = None
    y: jax.Array | None = None
    L: jax.Array | None = None
    w: jax.Array | None = None

    @partial(jax.jit, static_argnums=0)
    def _factorise(self, x, y):
        K = self.kernel(x, x) + self.alpha * jnp.eye(x.shape[0])
        self.L = cholesky(K, lower=True)
        self.w = cho_solve((self.L, True), y)
        return -0.5 * y @ self.w - jnp.sum(jnp.log(jnp.diag(self.L)))

    def fit(self, x, y):
        self.x, self.y = x, y
        return self._factorise(x, y)

    def predict(self, xs):
        ks = self.kernel(xs, self.x)
        mean = ks @ self.w
        var = self.kernel.variance - jnp.sum(ks * cho_solve((self.L, True), ks.T).T, axis=1)
        return mean, var


def select_length(x, y, lengths):
    scores = []
    for length in lengths:
        gp = GP(RBF(length))
        scores.append(float(gp.fit(x, y)))
    return lengths[max(range(len(lengths)), key=scores.__getitem__)], scores


if __name__ == "__main__":
    x = jnp.linspace(0.0, 3.0, 30)[:, None]
    y = jnp.sin(2.0 * x[:, 0])
    best, scores = select_length(x, y, [0.2, 0.5, 1.0])
    print("best length", best, scores)
    gp = GP(RBF(best))
    print("evidence", gp.fit(x, y))
    mean, var = gp.predict(jnp.array([[0.5], [1.5]]))
    print("mean", mean, "var", var)
