"""One fault of each kind that shows on the host, and what looks like one."""

import collections
import copy
import multiprocessing
import os
import pickle
import subprocess
import time

import jax
import jax.numpy as jnp

step = jax.jit(lambda state, x: jax.tree.map(lambda a: a + x, state), donate_argnums=0)


def pickles():
    params = {"w": jnp.ones((64, 64)), "b": jnp.ones(64)}
    pickle.dumps(params)  # ! device-array-pickled/ pickles
    pickle.dumps(jax.device_get(params))
    copy.deepcopy(params)
    queue = multiprocessing.get_context("spawn").SimpleQueue()
    queue.put(params["b"])  # ! device-array-pickled/ pickles


def forks():
    child = os.fork()  # ! fork-after-start/ forks
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    subprocess.run(["true"], check=True)
    subprocess.run(["true"], check=True, preexec_fn=lambda: None)


def donates():
    state = {"w": jnp.ones((4, 3))}
    kept = state["w"]
    step(state, 1.0)
    try:
        print(kept)  # ! use-after-donation/ donates
    except RuntimeError as error:
        print(error)


def not_finite():
    for x in (1.0, -1.0):
        print(float(jnp.log(x)))  # ! non-finite-value/ not_finite
    print(jnp.where(jnp.arange(3) > 1, 0.0, -jnp.inf))  # a mask


def grows():
    history, recent = [], collections.deque(maxlen=10_000)
    state, end = jnp.ones((64, 64)), time.monotonic() + 6  # samples are few
    while time.monotonic() < end:
        state = jnp.tanh(state)
        history.append(state)  # ! memory-growth/ grows
        other = jnp.cos(state[0])
        recent.append(other)
        time.sleep(0.001)


if __name__ == "__main__":
    for fault in (pickles, forks, donates, not_finite, grows):
        fault()
