"""The last window is taken from the end: all are equally long."""

import jax


@jax.jit
def step(params, x):
    return params, x.sum()


def evaluate(params, x, length):
    total = 0.0
    for i in range(0, x.shape[1], length):
        if i + length > x.shape[1]:
            part = x[:, -length:]
        else:
            part = x[:, i : i + length]
        params, loss = step(params, part)
        total += loss
    return total
