"""A batch of 256 images of 32 by 32: each sent to the device by itself, or all at once."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.prices import Step


def _images() -> list[np.ndarray]:
    return [np.full((32, 32), i, np.float32) for i in range(256)]


def bad() -> Step:
    images = _images()
    # gotcha: allow[per-example-device-put] what is measured
    return lambda: jax.block_until_ready(jnp.stack([jnp.asarray(image) for image in images]))


def good() -> Step:
    images = _images()
    return lambda: jax.block_until_ready(jnp.asarray(np.stack(images)))
