import multiprocessing

import jax.numpy as jnp


def double(x):
    return 2 * x


if __name__ == "__main__":
    scale = float(jnp.ones(3).sum())
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        doubled = pool.map(double, [1, 2, 3])
