"""A demo that shows each of its few turns, and the evaluation of every hundredth."""

import jax
import jax.numpy as jnp


@jax.jit
def step(w, x):
    loss = jnp.sum((w - x) ** 2)
    return w - 0.1 * (w - x), loss


@jax.jit
def eval_step(w, key, x):
    key, noise = jax.random.split(key)
    return key, {"loss": jnp.sum((w - x + jax.random.normal(noise, x.shape)) ** 2)}


def demo(w, x):
    for i in range(10):
        w, loss = step(w, x)
        print("step", i, "loss", loss)
    return w


def train(w, key, batches, tests):
    for i, x in enumerate(batches):
        w, loss = step(w, x)
        if i % 100 == 0:
            found = []
            for _ in range(50):
                key, metrics = eval_step(w, key, next(tests))
                found.append(jax.device_get(metrics))
            print(i, float(loss), found)
    return w
