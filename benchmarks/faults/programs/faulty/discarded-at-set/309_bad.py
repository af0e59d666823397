from itertools import combinations_with_replacement

import jax
import jax.numpy as jnp
import numpy as np


class NVAR:
    """Nonlinear vector autoregression features from delayed inputs."""

    def __init__(self, delay, order, dim):
        self.delay, self.order, self.dim = delay, order, dim
        self.monomials = jnp.asarray(
            list(combinations_with_replacement(range(delay * dim), order))
        )
        self.linear_dim = delay * dim

    @property
    def output_dim(self):
        return self.linear_dim + self.monomials.shape[0]

    def initial_state(self):
        return jnp.zeros((self.delay, self.dim))

    def step(self, store, x):
        store = jnp.roll(store, 1, axis=0)
        store.at[0].set(x)
        linear = store.ravel()
        out = jnp.zeros(self.output_dim)
        out = out.at[: self.linear_dim].set(linear)
        out = out.at[self.linear_dim :].set(jnp.prod(linear[self.monomials], axis=1))
        return store, out

    def run(self, series):
        _, feats = jax.lax.scan(self.step, self.initial_state(), series)
        return feats


def ridge(features, targets, alpha=1e-4):
    gram = features.T @ features + alpha * jnp.eye(features.shape[1])
    return jnp.linalg.solve(gram, features.T @ targets)


def logistic_map(n, r=3.8):
    x = [0.4]
    for _ in range(n - 1):
        x.append(r * x[-1] * (1 - x[-1]))
    return jnp.asarray(np.array(x, np.float32))[:, None]


def main():
    series = logistic_map(200)
    node = NVAR(delay=2, order=2, dim=1)
    feats = jax.jit(node.run)(series[:-1])
    feats = jnp.concatenate([feats, jnp.ones((len(feats), 1))], axis=1)
    w = ridge(feats, series[1:])
    err = jnp.sqrt(jnp.mean((feats @ w - series[1:]) ** 2))
    print("rmse", float(err), "feature std", float(feats[:, :-1].std()))


if __name__ == "__main__":
    main()
