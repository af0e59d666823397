"""The loss: its gradient is made on the way forward, chunk by chunk, on each device's own rows."""

from __future__ import annotations

import json
import re

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from reference_trainer.config import Config
from reference_trainer.data.batch import Batch, empty
from reference_trainer.model import heads
from tests.reference_trainer.support import SMALL, printed

ROWS, STEPS, WIDTH, VOCABULARY = 2, 24, 32, 48
BOTH = [pytest.param("float32", 1e-5), pytest.param("bfloat16", 2e-2)]
SHAPES = [(0, False), (8, True), (10, False)]  # 10: the last chunk is filled up


def configured(dtype: str, chunk: int, tied: bool = True) -> Config:
    sizes = (VOCABULARY,) if tied else (VOCABULARY, 16)
    return SMALL.replace(
        model={"features": (VOCABULARY,), "heads": sizes, "tied": tied, "width": WIDTH},
        compute={"dtype": dtype, "loss_chunk": chunk},
    )


def inputs(config: Config) -> tuple[jax.Array, dict, Batch]:
    keys = jax.random.split(jax.random.key(0), 4)
    x_BTD = jax.random.normal(keys[0], (ROWS, STEPS, WIDTH), config.compute.dtype)
    tables = [jax.random.normal(keys[1], (size, WIDTH)) for size in config.model.heads]
    count = len(tables)
    batch = Batch(*map(jnp.asarray, empty(ROWS, STEPS, 1, count)))
    batch = batch._replace(
        targets=jax.random.randint(keys[2], (ROWS, STEPS, count), 0, 16),
        weights=jax.random.bernoulli(keys[3], 0.7, (ROWS, STEPS)).astype(jnp.float32),
    )
    tied = config.model.tied
    return x_BTD, {"embed": tables, "heads": [] if tied else tables}, batch


def plain(x_BTD: jax.Array, params: dict, batch: Batch, config: Config) -> jax.Array:
    """The loss as it is defined."""
    total = jnp.zeros(())
    for i, logits in enumerate(heads.logits(params, x_BTD, config)):
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch.targets[..., i])
        total += jnp.sum(loss * batch.weights)
    return total


def relative(found: object, expected: object) -> float:
    pairs = zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True)
    norms = [(np.linalg.norm(np.float64(a) - np.float64(b)), np.linalg.norm(b)) for a, b in pairs]
    return max(float(off / max(size, 1e-9)) for off, size in norms)


@pytest.mark.parametrize(("dtype", "most"), BOTH)
@pytest.mark.parametrize(("chunk", "tied"), SHAPES)
def test_value_and_gradients_are_those_of_the_plain_loss(dtype, most, chunk, tied):
    config = configured(dtype, chunk, tied)
    x_BTD, params, batch = inputs(config)

    def loss(x_BTD: jax.Array, params: dict) -> tuple[jax.Array, heads.Sums]:
        total = heads.sums(params, x_BTD, batch, config)
        return 3.0 * total.loss, total  # a factor: the way back scales by it

    def expected(x_BTD: jax.Array, params: dict) -> jax.Array:
        return 3.0 * plain(x_BTD, params, batch, config)

    (value, total), grads = jax.jit(jax.value_and_grad(loss, (0, 1), has_aux=True))(x_BTD, params)
    right, right_grads = jax.jit(jax.value_and_grad(expected, (0, 1)))(x_BTD, params)
    np.testing.assert_allclose(value, right, rtol=1e-5)
    assert [leaf.dtype for leaf in jax.tree.leaves(grads)] == [
        leaf.dtype for leaf in jax.tree.leaves(right_grads)
    ]
    assert relative(grads, right_grads) < most
    best = [jnp.argmax(one, -1) for one in heads.logits(params, x_BTD, config)]
    hits = [(one == batch.targets[..., i]) * batch.weights for i, one in enumerate(best)]
    assert float(total.correct) == float(sum(map(jnp.sum, hits)))
    alone = jax.jit(lambda x, p: heads.sums(p, x, batch, config))(x_BTD, params)
    np.testing.assert_allclose(alone, total, rtol=1e-6)  # without gradients: evaluation


def lowered(config: Config, platform: str) -> str:
    """The loss and its gradients, for a platform that need not be here."""
    x_BTD, params, batch = inputs(config)
    loss = jax.value_and_grad(lambda x, p: heads.sums(p, x, batch, config).loss, (0, 1))
    return jax.jit(loss).trace(x_BTD, params).lower(lowering_platforms=(platform,)).as_text()


@pytest.mark.parametrize("platform", ["cpu", "cuda"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_one_chunk_of_logits_three_products_and_no_scatter(platform, dtype):
    text = lowered(configured(dtype, 8), platform)
    assert len(re.findall(r"stablehlo\.dot_general", text)) == 3  # logits, and two gradients
    assert not re.findall(r"scatter|stablehlo\.gather|take_along", text)
    sizes = [np.prod([int(n) for n in shape.split("x")[:-1]]) for shape in shapes(text)]
    chunks = [size for size in sizes if size >= ROWS * 8 * VOCABULARY]
    assert chunks and max(chunks) < ROWS * STEPS * VOCABULARY  # never the logits of all steps


def shapes(text: str) -> list[str]:
    return re.findall(r"tensor<((?:\d+x)+(?:f32|bf16))>", text)


COLLECTIVES = """
import json, re, sys
import jax
from reference_trainer import parallel
from reference_trainer.train import state as states, step
from tests.reference_trainer.support import SMALL
names = r"(all-reduce|reduce-scatter|all-gather|all-to-all)(?:-start)?\\("
found, mesh = {}, parallel.device_mesh()
jax.set_mesh(mesh)
for kind, layers in json.loads(sys.argv[1]):
    config = SMALL.replace(
        model={"width": 64, "depth": 2}, compute={"layers": layers, "loss_chunk": 16},
        data={"batch": 16}, run={"parallel": kind}, optimizer={"accumulate": 2},
    )
    args = states.abstract(config, mesh), parallel.abstract_batch(config, mesh)
    text = step.build(config, mesh).lower(*args).compile().as_text()
    where = {}
    for part in re.split(r"\\n(?=(?:ENTRY )?%)", text):
        name = part.split(" (", 1)[0].removeprefix("ENTRY ").strip()
        where[name] = re.findall(names, part)
    called = {m for m in re.findall(r"(?:body|condition)=(%[\\w.-]+)", text)}
    within = {n: where[n] for n in called if where.get(n)}
    found[f"{kind} {layers}"] = [sum(map(len, where.values())), within, len(called)]
print(json.dumps(found))
"""
KINDS = [("dp", "unroll"), ("zero", "scan"), ("fsdp", "unroll"), ("fsdp", "scan")]
MATRICES = 4  # of a layer


@pytest.fixture(scope="module")
def collectives() -> dict[str, tuple[int, dict[str, list[str]], int]]:
    """By kind: transfers in the compiled step, those in loops, and loops."""
    return printed(COLLECTIVES, json.dumps(KINDS), devices=8)


@pytest.mark.parametrize(("kind", "layers"), KINDS)
def test_devices_meet_in_no_loop(collectives, kind, layers):
    """Gradients are summed over eight devices once a step: after all parts, chunks and layers.

    With fsdp and scanned layers in the loop over layers, which gathers one layer at a time; in none
    within it, over parts and chunks.
    """
    count, within, loops = collectives[f"{kind} {layers}"]
    assert count > 0 and loops > 0
    if (kind, layers) != ("fsdp", "scan"):
        assert within == {}
        return
    gathers, scatters = ["all-gather"] * MATRICES, ["reduce-scatter"] * MATRICES
    assert sorted(within.values(), key=len) == [gathers, gathers + scatters]  # forward, and back
