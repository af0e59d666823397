"""Speed test of kernel functions before and after compilation."""
import time

import jax
import jax.numpy as jnp
import numpy as np


def squared_exponential(x, y, length_scale=1.0):
    d2 = jnp.sum(x**2, 1)[:, None] + jnp.sum(y**2, 1)[None] - 2 * x @ y.T
    return jnp.exp(-0.5 * d2 / length_scale**2)


def stein_kernel(x, y, length_scale=1.0):
    k = squared_exponential(x, y, length_scale)
    d = x.shape[1]
    d2 = -2 * length_scale**2 * jnp.log(jnp.maximum(k, 1e-30))
    return k * (d / length_scale**2 - d2 / length_scale**4 + x @ y.T)


def mmd(x, y):
    kxx, kyy, kxy = (squared_exponential(a, b).mean() for a, b in ((x, x), (y, y), (x, y)))
    return jnp.sqrt(jnp.maximum(kxx + kyy - 2 * kxy, 0.0))


def jit_test(fn, args):
    """Return the time of the first and of the second call of jit(fn)."""

    @jax.jit
    def compiled(*a):
        return fn(*a)

    start = time.perf_counter()
    jax.block_until_ready(compiled(*args))
    middle = time.perf_counter()
    jax.block_until_ready(compiled(*args))
    return middle - start, time.perf_counter() - middle


def report(n=4000, d=16, seed=0):
    rng = np.random.default_rng(seed)
    x = jnp.asarray(rng.normal(size=(n, d)), jnp.float32)
    y = jnp.asarray(rng.normal(size=(n, d)), jnp.float32)
    rows = {}
    for fn in (squared_exponential, stein_kernel, mmd):
        rows[fn.__name__] = jit_test(fn, (x, y))
    return rows


if __name__ == "__main__":
    for name, (first, second) in report().items():
        print(f"{name} first {first:.4f}s second {second:.5f}s")
