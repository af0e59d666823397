"""Generators of numpy's random numbers."""

from __future__ import annotations

GENERATOR = "numpy.random.#generator"  # one of these
GENERATORS = frozenset({"numpy.random.Generator", "numpy.random.RandomState"})
