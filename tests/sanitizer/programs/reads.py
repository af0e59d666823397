"""Reads of each kind in loops: a mark is at the one that stalls the device."""

import jax
import jax.numpy as jnp

STEPS = 60


@jax.jit
def step(weights, batch):
    for _ in range(8):
        weights = weights - 0.1 * jnp.tanh(weights @ batch)
    return weights, jnp.sum(weights)


def at_once(w, x):
    for _ in range(STEPS):
        w, loss = step(w, x)
        total = float(loss)  # ! host-read-every-step/ at_once
    return total


def step_before(w, x):
    before = None
    for _ in range(STEPS):
        w, loss = step(w, x)
        if before is not None:
            float(before)
        before = loss


def step_before_unconditionally(w, x):
    w, loss = step(w, x)
    for _ in range(STEPS):
        before = loss
        w, loss = step(w, x)
        float(before)


def now_and_then(w, x):
    for i in range(STEPS):
        w, loss = step(w, x)
        if i % 10 == 0:
            print(float(loss) > 0)


def each_epoch(w, x):
    for _ in range(STEPS // 6):
        for _ in range(6):
            w, loss = step(w, x)
        float(loss)


def epoch(w, x):
    for _ in range(6):
        w, loss = step(w, x)
    return w, loss


def each_call_of_an_epoch(w, x):
    for _ in range(STEPS // 6):
        w, loss = epoch(w, x)
        float(loss)


def after_the_loop(w, x):
    losses = []
    for _ in range(STEPS):
        w, loss = step(w, x)
        losses.append(loss)
    return [float(loss) for loss in losses]


def of_ready_values():
    values = [jnp.float32(i) for i in range(200)]
    jax.block_until_ready(values)
    return sum(float(value) for value in values)


weights, data = jnp.ones((300, 300)), jnp.ones((300, 300)) / 300
for part in (
    at_once,
    step_before,
    step_before_unconditionally,
    now_and_then,
    each_epoch,
    each_call_of_an_epoch,
    after_the_loop,
):
    part(weights, data)
of_ready_values()
