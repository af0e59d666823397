"""Twenty training steps of a small network: the loss read at each, or all at the end."""

from __future__ import annotations

import jax

from benchmarks.prices import Step, _small


@jax.jit
def _step(params: _small.Params, x: jax.Array) -> tuple[_small.Params, jax.Array]:
    return _small.step(params, x), _small.loss(params, x)


def bad() -> Step:
    batch = _small.batch()

    def steps() -> None:
        weights = _small.params()
        for _ in range(20):
            weights, loss = _step(weights, batch)
            float(loss)

    return steps


def good() -> Step:
    batch = _small.batch()

    def steps() -> None:
        weights, losses = _small.params(), []
        for _ in range(20):
            weights, loss = _step(weights, batch)
            losses.append(loss)
        jax.device_get(losses)

    return steps
