"""Memory of head and loss over a large vocabulary, all at once and in chunks."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp

from benchmarks.trainer import cases
from benchmarks.trainer.row import Row, Size
from reference_trainer import metrics
from reference_trainer.config import Config
from reference_trainer.data.batch import Batch
from reference_trainer.model import heads
from reference_trainer.model.backbone import Params
from reference_trainer.run.presets import GPT2_VOCABULARY

SECONDS = {"cpu": 120, "gpu": 20}


def measure(size: Size) -> Iterator[Row]:
    vocabulary = size.pick(1024, GPT2_VOCABULARY, GPT2_VOCABULARY)
    config = cases.small(width=256, length=1024, batch=size.pick(1, 8, 32)).replace(
        model={"features": (vocabulary,), "heads": (vocabulary,)}
    )
    whole, chunked = (
        _temporary(config.replace(compute={"loss_chunk": chunk})) for chunk in (0, 128)
    )
    tokens = config.data.batch * config.data.length
    yield Row(
        f"temporary memory, chunked / whole loss, V={vocabulary}",
        chunked / whole,
        "x",
        size.pick("", "<= 0.35", "<= 0.35"),
        f"whole: {whole / cases.MIB:.0f} MiB for {tokens} tokens",
    )


def _temporary(config: Config) -> int:
    """Bytes of the gradient by the last layer's output and the table."""
    model, data = config.model, config.data
    table = jax.ShapeDtypeStruct((model.heads[0], model.width), jnp.float32)
    x_BTD = jax.ShapeDtypeStruct((data.batch, data.length, model.width), jnp.float32)

    def loss(params: Params, x_BTD: jax.Array, batch: Batch) -> jax.Array:
        return heads.sums(params, x_BTD, batch, config).loss

    batch = jax.eval_shape(lambda: cases.full_batch(config))
    take = jax.jit(jax.grad(loss, argnums=(0, 1)))
    return metrics.memory(take.lower({"embed": [table]}, x_BTD, batch).compile())["temporary"]
