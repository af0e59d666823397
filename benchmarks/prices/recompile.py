"""A training step of a small network that compiles again for another length, or does not."""

from __future__ import annotations

from benchmarks.prices.varying_shape import bad, good

__all__ = ["bad", "good"]
