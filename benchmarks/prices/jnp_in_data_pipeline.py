"""One example of 32 by 32 numbers normalised for a loader: by jax.numpy, or by numpy."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from benchmarks.prices import Step


def _normalised(numpy: Any, image: np.ndarray) -> np.ndarray:
    scaled = numpy.asarray(image) / 255
    return np.asarray((scaled - numpy.mean(scaled)) / numpy.std(scaled))


def _image() -> np.ndarray:
    return np.arange(1024, dtype=np.float32).reshape(32, 32)


def bad() -> Step:
    image = _image()
    return lambda: _normalised(jnp, image)


def good() -> Step:
    image = _image()
    return lambda: _normalised(np, image)
