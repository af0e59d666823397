"""Milliseconds that a policy takes for one frame, for one player and for 32 at once. Wall clock."""

from __future__ import annotations

import time
from collections.abc import Iterator

import jax
import jax.numpy as jnp

from reference_trainer.bench import cases, clock
from reference_trainer.bench.row import Row, Size
from reference_trainer.config import Config
from reference_trainer.model import backbone
from reference_trainer.presets import PRESETS
from reference_trainer.sample import policy_step

SECONDS = {"cpu": 120, "gpu": 45}
FRAMES = 50
BATCHES = (1, 32)


class Playing:
    """Frames one after another with a carried state; each call plays from the start."""

    def __init__(self, config: Config, rows: int):
        self.config = config
        make = jax.jit(backbone.init, static_argnames="config")
        self.params = make(jax.random.key(0), config=config)
        self.inputs_BF = jnp.ones((rows, len(config.model.features)), jnp.int32)
        self.carry = backbone.start(config, rows, config.data.length)

    def __call__(self) -> list[jax.Array]:
        logits: list[jax.Array] = []
        for position in range(FRAMES):
            logits, self.carry = policy_step(
                self.params, self.inputs_BF, self.carry, jnp.int32(position), config=self.config
            )
            jax.block_until_ready(logits)  # an action is played before the next frame is seen
        return logits


def measure(size: Size) -> Iterator[Row]:
    policy = PRESETS["chorales"]
    models = {"chorales policy": policy}
    if size.platform == "gpu":
        large = PRESETS["h200_124m"]
        models["124M, bf16"] = cases.shrunk(large) if size.quick else large
    for name, config in models.items():
        calls = {rows: Playing(config, rows) for rows in BATCHES}
        named = {str(rows): call for rows, call in calls.items()}
        best = clock.best(named, size.rounds, clock=time.perf_counter)
        for rows in BATCHES:
            yield Row(f"one frame, {name}, batch {rows}", best[str(rows)] / FRAMES * 1e3, "ms")
        ratio = BATCHES[1] / BATCHES[0] * best["1"] / best["32"]
        yield Row(f"frames/s, {name}, batch 32 / batch 1", ratio, "x")
