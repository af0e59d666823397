import jax.numpy as jnp
import numpy as np


def in_place(data, size):
    return data[: -(len(data) % size)]  # ! slice-to-minus-zero


def of_rows(data, size):
    rest = data.shape[0] % size
    return jnp.asarray(data)[:-rest, 0]  # ! slice-to-minus-zero


def of_padding(data, size):
    padding = -len(data) % size
    padded = np.pad(data, (0, padding))
    return padded[:-padding]  # ! slice-to-minus-zero


def of_the_length(data, size):
    rest = len(data) % size
    return data[: len(data) - rest]


def guarded(data, size):
    rest = len(data) % size
    if rest:
        data = data[:-rest]
    return data


def guarded_in_place(data, size):
    return data[: -(len(data) % size)] if len(data) % size != 0 else data


def left_early(data, size):
    rest = len(data) % size
    if rest == 0:
        return data
    return data[:-rest]


def or_none(data, size):
    rest = len(data) % size
    return data[: -rest or None]


def never_zero(data, size):
    rest = size - len(data) % size
    return data[:-rest], data[:-1], data[-rest:]


def given(data, rest):
    return data[:-rest]
