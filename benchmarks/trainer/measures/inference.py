"""Milliseconds that a policy takes for one frame, for one player and for 32 at once. Wall clock."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import jax
import jax.numpy as jnp

from benchmarks.trainer import cases, clock
from benchmarks.trainer.row import Row, Size
from reference_trainer.config import Config
from reference_trainer.extras import decode
from reference_trainer.extras.sample import policy_step
from reference_trainer.model import backbone
from reference_trainer.run.presets import PRESETS

SECONDS = {"cpu": 120, "gpu": 30}
BATCHES = (1, 32)


def measure(size: Size) -> Iterator[Row]:
    policy = PRESETS["chorales"]
    models = {"chorales policy": policy}
    if size.platform == "gpu":
        large = PRESETS["h200_124m"]
        models["124M, bf16"] = cases.shrunk(large) if size.quick else large
    frames = size.pick(5, 100, 100)
    for name, config in models.items():
        seconds = {rows: _median(Playing(config, rows), frames) for rows in BATCHES}
        for rows in BATCHES:
            yield Row(f"one frame, {name}, batch {rows}", seconds[rows] * 1e3, "ms")
        few, many = BATCHES
        ratio = many / few * seconds[few] / seconds[many]
        yield Row(f"frames/s, {name}, batch {many} / batch {few}", ratio, "x")


def _median(play: Playing, frames: int) -> float:
    """Seconds from an observation to its action; the first one compiles."""
    clock.once(play)
    return statistics.median(clock.once(play, time.perf_counter) for _ in range(frames))


class Playing:
    """A policy with a carried state; each call is one frame."""

    def __init__(self, config: Config, rows: int):
        self.config, self.position = config, 0
        make = jax.jit(backbone.init, static_argnames="config")
        self.params = make(jax.random.key(0), config=config)
        self.inputs_BF = jnp.ones((rows, len(config.model.features)), jnp.int32)
        self.carry = decode.start(config, rows, config.data.length)

    def __call__(self) -> list[jax.Array]:
        position = jnp.int32(self.position)
        self.position += 1
        logits, self.carry = policy_step(
            self.params, self.inputs_BF, self.carry, position, config=self.config
        )
        return logits
