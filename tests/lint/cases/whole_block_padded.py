"""Padding up to the next multiple."""

import jax.numpy as jnp
import numpy as np


def by_pad(x, period):
    t = x.shape[1]
    return jnp.pad(x, ((0, 0), (0, period - t % period)), mode="reflect")  # ! whole-block-padded


def by_zeros(x, size):
    rest = len(x) % size
    missing = size - rest  # ! whole-block-padded
    return jnp.concatenate([x, jnp.zeros((missing, x.shape[1]))])


def by_rows(rows, batch):
    for _ in range(batch - (len(rows) % batch)):  # ! whole-block-padded
        rows.append(0)
    return jnp.asarray(rows)


def by_name(x, config):
    n_pad = config.block - x.shape[0] % config.block  # ! whole-block-padded
    return x.shape[0] + n_pad


def again(x, size):
    return jnp.pad(x, (0, (size - len(x) % size) % size))


def negative(x, size):
    return jnp.pad(x, (0, -len(x) % size))


def under_test(x, size):
    if len(x) % size:
        x = jnp.pad(x, (0, size - len(x) % size))
    return x


def under_other_test(x, size):
    if len(x) % size != 0:
        n_pad = size - len(x) % size
        x = jnp.pad(x, (0, n_pad))
    return x


def with_rest(x, size):
    rest = len(x) % size
    missing = size - rest if rest > 0 else 0
    return np.pad(x, (0, missing))


def asked_later(x, size):
    n_pad = size - len(x) % size
    if n_pad == size:
        return x
    return jnp.pad(x, (0, n_pad))


def until_next(step, every):
    return every - step % every


def cut(x, size):
    return x[: len(x) - len(x) % size]


def of_another(x, size, block):
    return jnp.pad(x, (0, size - len(x) % block))
