"""Measure the compile and run time of several network widths."""
import time

import jax
import jax.numpy as jnp


def make_model(width, depth=3):
    def init(key):
        sizes = [16] + [width] * depth + [1]
        keys = jax.random.split(key, len(sizes) - 1)
        return [jax.random.normal(k, (m, n)) / jnp.sqrt(m)
                for k, m, n in zip(keys, sizes[:-1], sizes[1:])]

    def apply(params, x):
        for w in params[:-1]:
            x = jax.nn.relu(x @ w)
        return x @ params[-1]

    return init, apply


def measure(width, repeats=5):
    init, apply = make_model(width)
    params = init(jax.random.PRNGKey(0))
    x = jnp.ones((32, 16))
    start = time.perf_counter()
    compiled = jax.jit(apply).lower(params, x).compile()
    compile_time = time.perf_counter() - start
    compiled(params, x).block_until_ready()
    start = time.perf_counter()
    for _ in range(repeats):
        out = compiled(params, x)
    out.block_until_ready()
    return compile_time, (time.perf_counter() - start) / repeats


def sweep(widths):
    table = {}
    for width in widths:
        table[width] = measure(width)
    return table


if __name__ == "__main__":
    for width, (compile_s, run_s) in sweep([16, 32, 64]).items():
        print(width, round(compile_s, 3), f"{run_s:.2e}")
