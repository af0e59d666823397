"""Arrays that grow, and lists that do."""

import jax
import jax.numpy as jnp
import numpy as np


def append(loader):
    losses = jnp.zeros(0)
    for batch in loader:
        losses = jnp.append(losses, batch.sum())  # ! growing-array
        print(losses)


def concatenate(model, tokens):
    while True:
        new = model(tokens)
        tokens = jnp.concatenate([tokens, new], axis=1)  # ! growing-array
        print(int(new[0]))


def on_the_host(loader):
    losses = np.zeros(0)
    for batch in loader:
        losses = np.append(losses, float(batch.sum()))
    print(losses)


def in_a_list(loader):
    losses = []
    for batch in loader:
        losses.append(batch.sum())
    print(jnp.stack(losses))


def of_fixed_length(x, loader):
    for batch in loader:
        y = jnp.concatenate([x, batch])
        print(y)


@jax.jit
def unrolled(x):
    y = x
    for _ in range(10):
        y = jnp.concatenate([y, x])
    return y


def a_sliding_window(history, loader):
    for batch in loader:
        history = jnp.concatenate([history[1:], batch])
        print(history)
