"""Group effects: the number of groups comes from numpy data and is static."""
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@dataclass(frozen=True)
class Sizes:
    tanks: int
    sizes: int


def sizes_of(table):
    return Sizes(int(np.unique(table["tank"]).size), int(np.unique(table["size"]).size))


@partial(jax.jit, static_argnames=("sizes",))
def neg_log_posterior(z, tank, size, y, sizes):
    a = z[: sizes.tanks]
    s = z[sizes.tanks : sizes.tanks + sizes.sizes]
    mean = a[tank] + s[size]
    prior = 0.5 * jnp.sum(z**2)
    if sizes.sizes == 1:
        prior = prior + 10.0 * s[0] ** 2
    return prior + 0.5 * jnp.sum((y - mean) ** 2)


def fit(table, steps=200, lr=0.05):
    sizes = sizes_of(table)
    tank, size, y = (jnp.asarray(table[k]) for k in ("tank", "size", "y"))
    z = jnp.zeros(sizes.tanks + sizes.sizes)
    grad = jax.grad(neg_log_posterior)
    for _ in range(steps):
        z = z - lr * grad(z, tank, size, y, sizes)
    return z


def make_table(seed, n=60):
    rng = np.random.default_rng(seed)
    tank, size = rng.integers(0, 8, n), rng.integers(0, 2, n)
    return {"tank": tank, "size": size, "y": (0.3 * tank - size + rng.normal(0, 0.1, n)).astype(np.float32)}


if __name__ == "__main__":
    print(fit(make_table(0)).round(2))
