import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import jax
import jax.numpy as jnp
import torch


@jax.jit
def fit(w, x):
    return w + 0.1 * jnp.mean(x)


def square(n):
    return n * n


def in_a_context():
    w = fit(jnp.zeros(3), jnp.ones(3))
    with multiprocessing.get_context("fork").Pool(2) as pool:  # ! fork-after-start
        return w, pool.map(square, range(4))


def by_default():
    w = fit(jnp.zeros(3), jnp.ones(3))
    with multiprocessing.Pool(2) as pool:  # ! fork-after-start
        return w, pool.map(square, range(4))


def workers():
    way = multiprocessing.get_context("fork")
    return ProcessPoolExecutor(2, mp_context=way)  # ! fork-after-start


def across_calls():
    w = jnp.zeros(3)
    with workers() as pool:
        return w, list(pool.map(square, range(4)))


def by_hand():
    print(jax.devices())
    return os.fork()  # ! fork-after-start


def before_jax():
    with multiprocessing.Pool(2) as pool:
        found = pool.map(square, range(4))
    return fit(jnp.zeros(3), jnp.array(found))


def spawned():
    w = fit(jnp.zeros(3), jnp.ones(3))
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        return w, pool.map(square, range(4))


def of_a_server():
    w = fit(jnp.zeros(3), jnp.ones(3))
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("forkserver")) as pool:
        return w, list(pool.map(square, range(4)))


def chosen_for_all():
    multiprocessing.set_start_method("spawn")
    w = fit(jnp.zeros(3), jnp.ones(3))
    with multiprocessing.Pool(2) as pool:
        return w, pool.map(square, range(4))


def in_threads():
    w = fit(jnp.zeros(3), jnp.ones(3))
    with ThreadPoolExecutor(2) as pool:
        return w, list(pool.map(square, range(4)))


def types_alone():
    kind = jnp.dtype("float32")
    with multiprocessing.Pool(2) as pool:
        return kind, pool.map(square, range(4))


def loads_in_workers(data, workers):
    fit(jnp.zeros(3), jnp.ones(3))
    return torch.utils.data.DataLoader(data, num_workers=workers)  # ! fork-after-start


def loads_in_this_process(data):
    fit(jnp.zeros(3), jnp.ones(3))
    return torch.utils.data.DataLoader(data, num_workers=0)


def spawns_workers(data):
    fit(jnp.zeros(3), jnp.ones(3))
    return torch.utils.data.DataLoader(data, num_workers=2, multiprocessing_context="spawn")


def loads_in_workers_that_start_later(data, workers):
    loader = torch.utils.data.DataLoader(data, num_workers=workers)  # ! fork-after-start
    w = jnp.zeros(3)
    for epoch in range(3):
        for step, x in enumerate(loader):
            w = fit(w, x)
    return w


def reads_before_jax_starts(data, workers):
    loader = torch.utils.data.DataLoader(data, num_workers=workers)
    sizes = [len(x) for x in loader]
    return fit(jnp.zeros(3), jnp.ones(sizes[0]))
