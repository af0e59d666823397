"""Forks the process after JAX has started its threads.

The child has a copy of every lock and none of the threads that would release them. It may work for
months and then hang. `multiprocessing` forks by default on Linux up to Python 3.13; so do data
loaders with workers.

## The price
A process that may hang.
"""

import multiprocessing

import jax.numpy as jnp


def double(x):
    return 2 * x


if __name__ == "__main__":
    scale = float(jnp.ones(3).sum())
    with multiprocessing.get_context("fork").Pool(1) as pool:  # ! fork-after-start
        doubled = pool.map(double, [1, 2, 3])
