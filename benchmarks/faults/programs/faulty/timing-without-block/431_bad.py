"""Compare numpy and jax versions of a pairwise kernel on growing problem sizes."""
import time
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np


@dataclass
class Result:
    name: str
    n: int
    seconds: float


def kernel_numpy(x, y):
    d2 = ((x[:, None] - y[None]) ** 2).sum(-1)
    return np.exp(-d2).sum(1)


@jax.jit
def kernel_jax(x, y):
    d2 = ((x[:, None] - y[None]) ** 2).sum(-1)
    return jnp.exp(-d2).sum(1)


def best_of(fn, args, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        fn(*args)
        times.append(time.perf_counter() - start)
    return min(times)


def benchmark(sizes, dim=8, repeats=3):
    rng = np.random.default_rng(0)
    results = []
    for n in sizes:
        x = rng.normal(size=(n, dim)).astype(np.float32)
        y = rng.normal(size=(n, dim)).astype(np.float32)
        results.append(Result("numpy", n, best_of(kernel_numpy, (x, y), repeats)))
        jx, jy = jnp.asarray(x), jnp.asarray(y)
        kernel_jax(jx, jy).block_until_ready()
        results.append(Result("jax", n, best_of(kernel_jax, (jx, jy), repeats)))
    return results


def report(results):
    for r in results:
        print(f"{r.name:>6} n={r.n:<5} {1e3 * r.seconds:9.3f} ms")


if __name__ == "__main__":
    report(benchmark([500, 1000, 2000]))
