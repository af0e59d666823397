import gc

import jax
import jax.numpy as jnp


@jax.jit
def train_step(w, x):
    return w - 0.1 * x


def train(w, loader):
    for x in loader:
        w = train_step(w, x)
        gc.collect()
        jax.clear_caches()  # ! caches-cleared-in-loop
    return w


def train_one(w, loader):
    for x in loader:
        w = train_step(w, x)
        train_step.clear_cache()  # ! caches-cleared-in-loop
    return w


class Trainer:
    def __init__(self):
        self.w = jnp.ones(3)

    def tidy(self):
        jax.clear_caches()  # ! caches-cleared-in-loop

    def fit(self, loader):
        for x in loader:
            self.w = train_step(self.w, x)
            self.tidy()


def train_with_a_remedy(w, loader):
    for step, x in enumerate(loader):
        w = train_step(w, x)
        if step % 1000 == 0:
            jax.clear_caches()
    return w


def compare(w, settings):
    for each in (0.1, 0.2):
        jax.clear_caches()
        w = train_step(w, each)
    return w


def tidy_before(w, loader):
    jax.clear_caches()
    for x in loader:
        w = train_step(w, x)
    return w
