"""Pickling 200 small arrays: as they are on the device, or after one `jax.device_get`."""

from __future__ import annotations

import pickle

import jax
import jax.numpy as jnp

from benchmarks.prices import Step


def _tree() -> dict[str, jax.Array]:
    return {f"layer_{number}": jnp.full((64, 64), float(number)) for number in range(200)}


def bad() -> Step:
    tree = _tree()
    return lambda: pickle.dumps(tree)  # gotcha: allow[device-array-pickled] what is measured


def good() -> Step:
    tree = _tree()
    return lambda: pickle.dumps(jax.device_get(tree))
