import time

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def step(x):
    return x @ x


def measure(x):
    start = time.perf_counter()
    y = step(x)
    return y, time.perf_counter() - start  # ! timing-without-wait


def measure_many(x):
    begin = time.time()
    for _ in range(100):
        x = step(x)
    end = time.time()
    print("took", end - begin)  # ! timing-without-wait
    return x


def waits(x):
    start = time.perf_counter()
    y = step(x).block_until_ready()
    return y, time.perf_counter() - start


def waits_after(x):
    start = time.perf_counter()
    for _ in range(100):
        x = step(x)
    jax.block_until_ready(x)
    return x, time.perf_counter() - start


def reads(x):
    start = time.perf_counter()
    total = float(step(x).sum())
    return total, time.perf_counter() - start


def reads_numpy(x):
    start = time.perf_counter()
    y = np.asarray(step(x))
    return y, time.perf_counter() - start


def on_host(x):
    start = time.perf_counter()
    y = np.linalg.inv(x)
    return y, time.perf_counter() - start


def compiles(x):
    start = time.perf_counter()
    compiled = step.lower(x).compile()
    return compiled, time.perf_counter() - start


def helper_may_wait(x, report):
    start = time.perf_counter()
    y = step(x)
    report(y)
    return time.perf_counter() - start


def logs_now_and_then(x):
    start = time.perf_counter()
    for n in range(1000):
        x = step(x)
        if n % 100 == 0:
            print(n, x[0, 0], time.perf_counter() - start)
    return x
