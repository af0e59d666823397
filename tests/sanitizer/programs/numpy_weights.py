"""Large numpy arguments in loops: of each call, one is the same in each iteration, or too wide."""

from functools import partial

import jax
import numpy as np


@jax.jit
def apply(params, x):
    return (params["w"] * x).sum()


@partial(jax.jit, static_argnames="power")
def powered(power, params, x):
    return (params["w"] * x**power).sum()


def main():
    params = {"w": np.ones((600, 600), np.float32)}
    for x in [np.ones((600, 600), np.float32)] * 3:
        apply(params, x)  # ! numpy-weights-each-call/ apply
    other = {"w": np.ones((610, 610), np.float32)}
    for x in [np.ones((610, 610), np.float32)] * 3:
        powered(2, other, x)  # ! numpy-weights-each-call/ powered
    for size in (700, 700):
        made = {"w": np.ones((size, size), np.float32)}
        apply(made, np.float32(1))
    on_device = {"w": jax.numpy.ones((400, 400))}
    for seed in range(3):  # NumPy draws 64 bits, and JAX narrows them at each call
        apply(on_device, np.random.default_rng(seed).random((400, 400)))  # ! wide-type-without-x64/ apply
    for _ in range(3):
        powered(2, on_device, np.arange(400))  # whole numbers, and few: not worth a word


main()
