"""Large numpy arguments in loops: only one is the same at each turn."""

import jax
import numpy as np


@jax.jit
def apply(params, x):
    return (params["w"] * x).sum()


def main():
    params = {"w": np.ones((600, 600), np.float32)}
    for x in [np.ones((600, 600), np.float32)] * 3:
        apply(params, x)  # ! numpy-weights-each-call/ apply
    for size in (700, 700):
        made = {"w": np.ones((size, size), np.float32)}
        apply(made, np.float32(1))


main()
