"""The kernel for packed rows against a dense mask: the same values, and tokens per second.

Rows of the 124M shape hold eight documents each, at 1,024 and at 4,096 steps.
"""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp

from benchmarks.trainer import cases, clock
from benchmarks.trainer.row import Row, Size, unmeasured
from reference_trainer import parallel
from reference_trainer.config import Config
from reference_trainer.model.layers import attend
from reference_trainer.run import kernels
from reference_trainer.run.presets import PRESETS

SECONDS = {"gpu": 90}
DOCUMENTS = 8  # of equal length in each row
KINDS = ("packed", "xla")


def measure(size: Size) -> Iterator[Row]:
    for length, rows in size.pick(((256, 2),), ((256, 2),), ((1024, 32), (4096, 4))):
        config = PRESETS["h200_124m"].replace(
            data={"length": length, "batch": rows, "batching": "pack"},
            compute={"layers": "scan", "remat": "full"},
        )
        if size.quick:
            config = cases.shrunk(config).replace(compute={"layers": "scan"})
        yield from _compared(config, size)


def _compared(config: Config, size: Size) -> Iterator[Row]:
    length = config.data.length
    wanted = config.replace(compute={"attention": "packed"})
    if reason := kernels.refusal(wanted):
        yield Row(f"packed / xla, {length} steps", None, note=reason)
        return
    for name, off in _differences(config).items():
        note = "largest difference, as a share of the largest value; bfloat16"
        yield Row(f"{name} of packed, off xla's, {length} steps", off, "", "<= 0.02", note)
    forms = {}
    for kind in KINDS:
        try:
            train = cases.Training(config.replace(compute={"attention": kind}), 2)
            train.batch = train.batch._replace(
                segments=jax.device_put(_segments(config), train.batch.segments.sharding)
            )
            jax.block_until_ready(train())
        except Exception as error:  # out of memory, or a kernel that is missing here
            yield unmeasured(f"tokens/s, {kind}, {length} steps", error)
            return
        forms[kind] = train
    best = clock.best(forms, size.rounds)
    for kind in KINDS:
        yield Row(f"tokens/s, {kind}, {length} steps", forms[kind].tokens / best[kind])
    target = size.pick("", "", ">= 1")
    yield Row(f"tokens/s, packed / xla, {length} steps", best["xla"] / best["packed"], "x", target)


def _differences(config: Config) -> dict[str, float]:
    """Of the attention's values and of its gradients."""
    model, data = config.model, config.data
    shape = (3, 2, data.length, model.width // model.head_width, model.head_width)
    qkv = jax.random.normal(jax.random.key(0), shape, config.compute.dtype)
    segments = _segments(config)[:2]

    def loss(qkv: jax.Array, kind: str) -> tuple[jax.Array, jax.Array]:
        q, k, v = qkv
        out = attend(q, k, v, segments, kind=kind, window=0, chunk=data.length, packed=True)
        return jnp.sum(jnp.sin(3 * out.astype(jnp.float32))), out

    with jax.set_mesh(parallel.device_mesh()):
        take = jax.jit(jax.grad(loss, has_aux=True), static_argnames="kind")
        found = {kind: take(qkv, kind=kind) for kind in KINDS}
    names = ("gradients", "values")
    pairs = zip(names, found["packed"], found["xla"], strict=True)
    return {name: _off(ours, dense) for name, ours, dense in pairs}


def _off(ours: jax.Array, dense: jax.Array) -> float:
    ours, dense = ours.astype(jnp.float32), dense.astype(jnp.float32)
    return float(jnp.max(jnp.abs(ours - dense)) / jnp.max(jnp.abs(dense)))


def _segments(config: Config) -> jax.Array:
    """Int32 BT: documents of equal length, from 1."""
    steps = jnp.arange(config.data.length, dtype=jnp.int32)
    segments_T = 1 + steps * DOCUMENTS // config.data.length
    return jnp.broadcast_to(segments_T, (config.data.batch, config.data.length))
