import time

import jax
import jax.numpy as jnp


@jax.jit
def step(w, x):
    return w - 0.1 * (w - x), jnp.sum((w - x) ** 2)


def fit(w, batches):
    losses = []
    for x in batches:
        w, loss = step(w, x)
        losses.append(float(loss))  # ! host-read-every-step
    return w, losses


def stops_early(w, batches):
    for x in batches:
        w, loss = step(w, x)
        if loss < 0.1:  # ! host-read-every-step
            break
    return w


def now_and_then(w, batches):
    for n, x in enumerate(batches):
        w, loss = step(w, x)
        if n % 100 == 0:
            print(float(loss))
    return w


def helper_guard(w, batches, should_log):
    for n, x in enumerate(batches):
        w, loss = step(w, x)
        if should_log(n):
            print(float(loss))
    return w


def one_behind(w, batches):
    previous = None
    for x in batches:
        if previous is not None:
            print(float(previous))
        w, loss = step(w, x)
        previous = loss
    return w


def after_the_loop(w, batches):
    for x in batches:
        w, loss = step(w, x)
    return w, float(loss)


def evaluate(w, batches):
    total = 0.0
    for x in batches:
        w, loss = step(w, x)
        total += float(loss)
    return total


def epochs(w, batches):
    for epoch in range(100):
        w, loss = step(w, batches[epoch])
        print(float(loss))
    return w


def skips(w, batches):
    for n, x in enumerate(batches):
        w, loss = step(w, x)
        if n % 100:
            continue
        print(float(loss))
    return w


def independent(w, batches):
    return [float(step(w, x)[1]) for x in batches]


def timed(w, batches):
    for x in batches:
        start = time.perf_counter()
        w, loss = step(w, x)
        loss.block_until_ready()
        print(time.perf_counter() - start)
    return w
