"""Calls that are meant to fail, and those of what a condition has chosen."""

import contextlib

import jax
import pytest


@jax.jit
def noisy(x, key):
    return x + jax.random.normal(key, x.shape)


def plain(logits):
    return jax.numpy.tanh(logits)


def raises(x):
    with pytest.raises(TypeError):
        noisy(x)
    with contextlib.suppress(TypeError):
        noisy(x)
    with jax.named_scope("noise"):
        noisy(x)  # ! cannot-run


def chosen(processors, logits, key, shape):
    for process in processors:
        logits = process(logits, key) if hasattr(process, "needs_key") else process(logits)
    if len(shape) == 2:
        height, width = shape
        logits = logits.reshape(height, width)
    return logits


def give(x, key):
    return chosen([plain, noisy], x, key, (3,)) + chosen([plain], x, key, (3, 1))
