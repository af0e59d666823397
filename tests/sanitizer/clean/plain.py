"""A regression with plain pytrees: buckets, evaluation, metrics read one step late.

A line `#~ name: code` below a line is a fault: the code takes the line's place.
"""

import functools
import pickle

import jax
import jax.numpy as jnp
import numpy as np

LENGTHS = (8, 16, 32)
SCALE = 0.5
table = jnp.linspace(0.0, 1.0, 600_000)


def init(key):
    first, second = jax.random.split(key)
    return {
        "w": jax.random.normal(first, (16, 8)) * 0.1,
        "b": jnp.zeros((8,), jnp.float32),
        "out": jax.random.normal(second, (8, 1)) * 0.1,
    }


def predict(params, x, table):
    x = x + table[0]
    hidden = jnp.tanh(x @ params["w"] + params["b"])
    return (hidden @ params["out"])[..., 0]


def loss_fn(params, x, y, mask, table):
    error = (predict(params, x, table) - y) ** 2
    return (error * mask).sum() / mask.sum()


@functools.partial(jax.jit, donate_argnums=0)
def step(params, x, y, mask, table, rate):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y, mask, table)
    #~ stale-capture/global: loss, grads = jax.value_and_grad(loss_fn)(params, x * SCALE, y, mask, table)
    params = jax.tree.map(lambda p, g: p - rate * g, params, grads)
    return params, loss


@jax.jit
def evaluate(params, x, y, table):
    return jnp.mean((predict(params, x, table) - y) ** 2)


def batches(rng, count):
    for number in range(count):
        length = LENGTHS[number % len(LENGTHS)]
        #~ recompile/shape: length = 8 + number
        x = rng.normal(size=(length, 16)).astype(np.float32)
        #~ recompile/dtype: x = rng.integers(0, 9, (length, 16)).astype((np.float32, np.int32)[number // 3 % 2])
        yield x, x.sum(axis=1) * 0.1, np.ones(length, np.float32)


def train(steps):
    global SCALE
    rng = np.random.default_rng(0)
    params = init(jax.random.key(0))
    held_x = rng.normal(size=(64, 16)).astype(np.float32)
    before, history = None, []
    rate = jnp.float32(0.05)
    for number, (x, y, mask) in enumerate(batches(rng, steps)):
        SCALE = 0.5 + number
        #~ recompile/weak-type: SCALE, rate = 0.5 + number, 0.05 if number < 9 else jnp.float32(0.05)
        params, loss = step(params, x, y, mask, table, rate)
        #~ recompile/new-function: params, loss = jax.jit(lambda p, *a: step.__wrapped__(p, *a))(params, x, y, mask, table, rate)
        #~ large-constant-captured: params, loss = jax.jit(lambda p, r, *a: step.__wrapped__(p, *a, table, r))(params, rate, x, y, mask)
        #~ recompile/committed: params, loss = step(jax.device_put(params, jax.devices()[0]) if number == 7 else params, x, y, mask, table, rate)
        if before is not None:
            history.append(float(before))
        before = loss
        if number % 12 == 11:
            print(float(evaluate(params, held_x, held_x.sum(axis=1) * 0.1, table)))
    with open("state.pkl", "wb") as file:
        pickle.dump(jax.device_get(params), file)
        #~ device-array-pickled: pickle.dump(params, file)
    return history


if __name__ == "__main__":
    history = train(24)
    assert np.isfinite(history).all(), history
