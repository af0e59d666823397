"""Differences of unsigned bytes."""

import jax.numpy as jnp
import numpy as np


def change(before, after):
    return after - before  # ! unsigned-subtraction


def as_whole_numbers(before, after):
    return after.astype(jnp.int32) - before.astype(jnp.int32)


def brighter(image):
    return image + image


def with_a_number(image):
    return 255 - image


def of_words():
    return jnp.ones(3, jnp.uint32) - jnp.ones(3, jnp.uint32)


image = jnp.ones((8, 8, 3), jnp.uint8)
other = jnp.zeros((8, 8, 3), jnp.uint8)
wrong = change(image, other)
right = as_whole_numbers(image, other), brighter(image), with_a_number(image)
