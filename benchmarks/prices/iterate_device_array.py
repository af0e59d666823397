"""The sum of 1,000 numbers in a Python loop: one by one from the device, or from numpy."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from benchmarks.prices import Step


def bad() -> Step:
    values = jnp.linspace(0.0, 1.0, 1000)
    # gotcha: allow[iterate-device-array] what is measured
    return lambda: sum(float(values[i]) for i in range(1000))


def good() -> Step:
    values = jnp.linspace(0.0, 1.0, 1000)

    def step() -> float:
        fetched = np.asarray(values)
        return sum(float(fetched[i]) for i in range(1000))

    return step
