"""Programs that are made again when a flag asks for it, ahead of time, or timed as compilation."""

import functools
import time

import jax
import jax.numpy as jnp
import numpy as np


def train(update, batches, state):
    width, stale = 4, True
    for number, batch in enumerate(batches):
        if number % 1000 == 999:
            width, stale = width * 2, True
        if stale:
            step = jax.jit(functools.partial(update, width=width))
            stale = False
        state = step(state, batch)
    return state


@jax.jit
def score(tokens):
    return jnp.sum(tokens)


def precompile(texts_by_size):
    for texts in texts_by_size:
        longest = max(len(text) for text in texts)
        score(np.zeros((8, longest)))


def padded(data: np.ndarray):
    size, found = 64, []
    for i in range(0, data.shape[0], size):
        chunk = data[i : i + size]
        missing = size - chunk.shape[0]
        if missing > 0:
            chunk = np.concatenate([chunk, np.zeros([missing, 3])], axis=0)
        found.append(score(chunk))
    return found


def compile_once(x):
    start = time.perf_counter()
    _ = score(x)
    compile_time = time.perf_counter() - start
    return compile_time


class Solver:
    def __init__(self, order: int):
        self.order, self.taken = order, 0
        self.last = 0
        self.update = jax.jit(lambda x, order: x * order, static_argnames="order")

    def step(self, x):
        self.last = min(self.order, self.taken + 1)
        x = self.update(x, order=self.last)
        self.taken += 1
        return x
