"""Milliseconds that a policy takes: for one frame, for one player and for 32 at once; for 30 frames
of a state space model; to embed a frame. Wall clock."""

from __future__ import annotations

import functools
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp

from benchmarks.trainer import cases, clock
from benchmarks.trainer.row import Row, Size
from reference_trainer.config import Config
from reference_trainer.data.batch import Batch
from reference_trainer.extras import decode
from reference_trainer.extras.sample import policy_step
from reference_trainer.model import backbone, heads
from reference_trainer.run.presets import PRESETS

SECONDS = {"cpu": 120, "gpu": 60}
BATCHES = (1, 32)
WINDOW = 30  # frames that a policy of half a second looks back on


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
    mamba = policy.replace(model={"pattern": ("ssm",)})
    play = Playing(mamba, 1)
    seconds = _median(lambda: [play() for _ in range(WINDOW)][-1], size.pick(2, 20, 20))
    yield Row(f"{WINDOW} frames, one after another, Mamba policy", seconds * 1e3, "ms")
    rows = cases.full_batch(mamba.replace(data={"length": WINDOW, "batch": 1}))
    whole = functools.partial(_whole, play.params, rows, config=mamba)
    yield Row(f"{WINDOW} frames at once, Mamba policy", _median(whole, frames) * 1e3, "ms")
    embed = functools.partial(_embedded, play.params, play.inputs_BF, config=mamba)
    yield Row("embedding of one frame", _median(embed, frames) * 1e3, "ms", note="with dispatch")


@functools.partial(jax.jit, static_argnames="config")
def _whole(params: backbone.Params, batch: Batch, config: Config) -> list[jax.Array]:
    return heads.logits(params, backbone.hidden(params, batch, config), config)


@functools.partial(jax.jit, static_argnames="config")
def _embedded(params: backbone.Params, inputs_BF: jax.Array, config: Config) -> jax.Array:
    return backbone.embedded(params, inputs_BF, config)


def _median(play: Callable[[], Any], frames: int) -> float:
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
        # gotcha: allow[varying-shape, changing-structure] each policy has a program of its own
        logits, self.carry = policy_step(
            self.params, self.inputs_BF, self.carry, position, config=self.config
        )
        return logits
