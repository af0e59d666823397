"""What decides the speed on a GPU, read in programs that are only lowered or compiled.

Each property is measured twice: in the program that people usually write, and in this trainer's. No
GPU is needed: programs are lowered for CUDA, and those for eight devices are compiled for CPUs. The
tests of `docs/trainer.md`, "Fast by design", hold the right column.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple
from unittest import mock

import jax
import jax.numpy as jnp
import optax
from jax.ad_checkpoint import print_saved_residuals
from jax.sharding import AxisType, NamedSharding, PartitionSpec

from benchmarks.trainer import process
from benchmarks.trainer.row import Row
from reference_trainer import parallel
from reference_trainer.config import Config
from reference_trainer.data.batch import Batch
from reference_trainer.model import backbone, heads, layers, parts
from reference_trainer.run.presets import PRESETS
from reference_trainer.train import state as states
from reference_trainer.train import step as steps

DOT = re.compile(r"dot_general .*: \(tensor<(\S+)>, tensor<(\S+)>\) -> tensor<(\S+)>")
ARRAY = re.compile(r"tensor<((?:\d+x)+)(?:f32|bf16)>")
MEETINGS = r"(?:all-reduce|reduce-scatter|all-gather|all-to-all)(?:-start)?\("
DEVICES = 8


NOTE = "lowered or compiled, not run; in the notes: the same as it is usually written"


class Property(NamedTuple):
    """A number of a program: as usually written, and here."""

    name: str
    usual: float
    here: float
    unit: str = ""


def properties(small: bool = False) -> Iterator[Property]:
    """Of the 124M and 1B presets, or (`small`) of the same with two layers."""
    medium, large = PRESETS["h200_124m"], PRESETS["h200_1b"]
    if small:
        medium, large = (one.replace(model={"depth": 2}) for one in (medium, large))
    medium = medium.replace(compute={"attention": "xla"})
    with mock.patch.object(parts, "product", _written_wide):
        usual = wide_products(medium)
    unit = f"of {4 * medium.model.depth}"
    yield Property("products of layers that write float32", usual, wide_products(medium), unit)
    with _cudnn_traceable():
        with _dots_by_shape(), mock.patch.object(parts, "product", _written_wide):
            usual, calls = kept(large), flash_calls(large)
        yield Property("kept for the way back, 1B, remat=dots", usual, kept(large), "GB")
        name = f"forward kernels of cuDNN, {large.model.depth} layers, remat=dots"
        yield Property(name, calls, flash_calls(large))
    usual, here = _lowered_loss(_plain_loss, medium), _lowered_loss(_own_loss, medium)
    yield Property("products with the table, loss in chunks", _products(usual), _products(here))
    yield Property("gathers and scatters of the loss", _indexed(usual), _indexed(here))
    whole = _lowered_loss(_plain_loss, medium.replace(compute={"loss_chunk": medium.data.length}))
    yield Property("largest array of the loss", _largest(whole), _largest(here), "GB in float32")
    usual, here = (_lowered_attention(kind, medium) for kind in ("xla", "packed"))
    square = medium.data.length**2
    yield Property(
        "results of T * T elements in attention", _large(usual, square), _large(here, square)
    )
    command = process.start(
        "properties",
        JAX_PLATFORMS="cpu",
        XLA_FLAGS=f"--xla_force_host_platform_device_count={DEVICES}",
    )
    for name, usual, here in process.result(command):
        yield Property(name, usual, here)


def rows(small: bool = False) -> Iterator[Row]:
    """For the report."""
    with jax.set_mesh(parallel.device_mesh()):
        for found in properties(small):
            yield Row(found.name, found.here, found.unit, note=f"usually {found.usual:g}")


def wide_products(config: Config) -> int:
    """Forward products with a matrix of a layer whose result is float32."""
    params, batch = _abstract(config)
    text = _for_cuda(lambda params, batch: backbone.hidden(params, batch, config), params, batch)
    matrices = [out for _, right, out in DOT.findall(text) if right.count("x") == 2]
    return sum(out.endswith("f32") for out in matrices)


def kept(config: Config) -> float:
    """GB of activations that all layers keep for the backward pass."""
    params, batch = _abstract(config)
    shape = (config.data.batch, config.data.length)
    x_BTD = jax.ShapeDtypeStruct((*shape, config.model.width), jnp.dtype(config.compute.dtype))
    rows = backbone.Rows(jnp.ones(shape, jnp.int32), jnp.ones(shape, jnp.int32), packed=False)
    del batch

    def layer(group: dict[str, Any], x_BTD: jax.Array) -> jax.Array:
        return backbone._run_group(x_BTD, group, None, rows=rows, config=config)

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        print_saved_residuals(layer, params["layers"][0], x_BTD)
    total = 0
    for dtype, sizes in re.findall(r"^(\w+)\[([\d,]+)\]", printed.getvalue(), flags=re.MULTILINE):
        dims = tuple(map(int, sizes.split(",")))
        if dims[:1] == shape[:1] and math.prod(dims) >= math.prod(x_BTD.shape):
            total += math.prod(dims) * {"f32": 4, "bf16": 2}.get(dtype, 0)
    return round(config.model.depth * total / 1e9, 1)


def flash_calls(config: Config) -> int:
    """Forward kernels of cuDNN in the gradient."""
    params, batch = _abstract(config)

    def loss(params: dict[str, Any], batch: Batch) -> jax.Array:
        return jnp.sum(backbone.hidden(params, batch, config).astype(jnp.float32))

    return len(
        re.findall(r"@__cudnn\$fmhaSoftmax(?!Backward)", _for_cuda(jax.grad(loss), params, batch))
    )


def _written_wide(x: jax.Array, kernel: jax.Array) -> jax.Array:
    """A product whose float32 sums are written as they are, and cast after."""
    wide = jnp.matmul(x, kernel.astype(x.dtype), preferred_element_type=jnp.float32)
    return wide.astype(x.dtype)


def _dots_by_shape() -> Any:
    """Remat by JAX's policy for products, which keeps them in the type that they are written in."""
    policy = jax.checkpoint_policies.dots_with_no_batch_dims_saveable
    return mock.patch.object(backbone, "_policy", lambda names: policy)


@contextlib.contextmanager
def _cudnn_traceable() -> Iterator[None]:
    """As if a card with cuDNN was here: JAX looks for one when it traces."""
    kernels = "jax._src.cudnn.fused_attention_stablehlo"
    with ExitStack() as stack:
        stack.enter_context(mock.patch(f"{kernels}.check_cudnn_version", lambda: 91000))
        stack.enter_context(mock.patch(f"{kernels}.check_compute_capability", lambda _: True))
        yield


def _own_loss(x_BTD: jax.Array, table: jax.Array, batch: Batch, config: Config) -> jax.Array:
    return heads.sums({"embed": [table]}, x_BTD, batch, config).loss


def _plain_loss(x_BTD: jax.Array, table: jax.Array, batch: Batch, config: Config) -> jax.Array:
    """Chunks in a loop, each computed again on the way back."""

    @jax.checkpoint
    def one(total: jax.Array, part: tuple[jax.Array, ...]) -> tuple[jax.Array, None]:
        x, targets, weights = part
        logits = jnp.einsum("bld,vd->blv", x, table.astype(x.dtype)).astype(jnp.float32)
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, targets)
        return total + jnp.sum(loss * weights), None

    chunks = [
        parts.cut(each, config.compute.loss_chunk)
        for each in (x_BTD, batch.targets[..., 0], batch.weights)
    ]
    return jax.lax.scan(one, jnp.zeros(()), tuple(chunks))[0]


def _lowered_loss(loss: Callable[..., jax.Array], config: Config) -> str:
    _, batch = _abstract(config)
    shape, width = (config.data.batch, config.data.length), config.model.width
    x_BTD = jax.ShapeDtypeStruct((*shape, width), jnp.dtype(config.compute.dtype))
    table = jax.ShapeDtypeStruct((config.model.heads[0], width), jnp.float32)
    grads = jax.value_and_grad(functools.partial(loss, config=config), (0, 1))
    return _for_cuda(grads, x_BTD, table, batch)


def _lowered_attention(kind: str, config: Config) -> str:
    model, shape = config.model, (config.data.batch, config.data.length)
    split = (*shape, model.width // model.head_width, model.head_width)
    q = jax.ShapeDtypeStruct(split, jnp.dtype(config.compute.dtype))
    segments = jax.ShapeDtypeStruct(shape, jnp.int32)

    def loss(q: jax.Array, k: jax.Array, v: jax.Array, segments: jax.Array) -> jax.Array:
        mixed = layers.attend(
            q, k, v, segments, kind=kind, window=0, chunk=config.compute.chunk, packed=True
        )
        return jnp.sum(mixed.astype(jnp.float32))

    with mock.patch.object(jax, "default_backend", lambda: "gpu"):  # else the kernel is interpreted
        return _for_cuda(jax.grad(loss, (0, 1, 2)), q, q, q, segments)


def _abstract(config: Config) -> tuple[dict[str, Any], Batch]:
    """Shapes and types of parameters and a batch, for one device."""
    params = jax.eval_shape(lambda: backbone.init(jax.random.key(0), config))
    batch = parallel.abstract_batch(config, parallel.device_mesh())
    return params, Batch(*(jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) for leaf in batch))


def _for_cuda(function: Callable[..., Any], *args: Any) -> str:
    return jax.jit(function).trace(*args).lower(lowering_platforms=("cuda",)).as_text()


def _products(text: str) -> int:
    return text.count("stablehlo.dot_general")


def _indexed(text: str) -> int:
    return len(re.findall(r'"stablehlo\.(?:scatter|gather|dynamic_gather)"', text))


def _largest(text: str) -> float:
    """GB of the largest array, as float32."""
    return round(4 * max(math.prod(_dims(found)) for found in ARRAY.findall(text)) / 1e9, 2)


def _large(text: str, elements: int) -> int:
    """Results whose last two axes have so many elements or more."""
    results = re.findall(r"-> tensor<((?:\d+x)+)(?:f32|bf16|i1)>|: tensor<((?:\d+x)+)", text)
    return sum(math.prod(_dims(a or b)[-2:]) >= elements for a, b in results)


def _dims(found: str) -> list[int]:
    return [int(size) for size in found.rstrip("x").split("x")]


def over_devices() -> Iterator[tuple[str, int, int]]:
    """Transfers in the step compiled for these devices, two layers, two parts of a batch."""
    config = Config().replace(
        model={"width": 64, "depth": 2}, compute={"loss_chunk": 16},
        data={"batch": 2 * DEVICES, "length": 64}, optimizer={"accumulate": 2},
    )  # fmt: skip
    usual = _meetings(_left_to_the_compiler(config))
    mesh = parallel.device_mesh()
    with jax.set_mesh(mesh):
        args = states.abstract(config, mesh), parallel.abstract_batch(config, mesh)
        here = _meetings(steps.build(config, mesh).lower(*args).compile())
    names = "transfers in the program for 8 devices", "of these in loops"
    yield from zip(names, usual, here, strict=True)


def _left_to_the_compiler(config: Config) -> jax.stages.Compiled:
    """The gradients of a batch cut by rows, without a word about where devices meet."""
    mesh = jax.make_mesh((DEVICES,), (parallel.AXIS,), axis_types=(AxisType.Auto,))
    whole, rows = (NamedSharding(mesh, spec) for spec in (PartitionSpec(), parallel.ROWS))
    params, batch = _abstract(config)
    params = jax.tree.map(lambda leaf: leaf.update(sharding=whole), params)
    batch = Batch(*(leaf.update(sharding=rows) for leaf in batch))
    key = jax.eval_shape(lambda: jax.random.key(0)).update(sharding=whole)
    take = jax.jit(lambda p, b, k: steps.gradients(p, b, config, k), out_shardings=whole)
    return take.lower(params, batch, key).compile()


def _meetings(program: jax.stages.Compiled) -> tuple[int, int]:
    """Transfers in a compiled program, and those in the bodies of loops."""
    where, text = {}, program.as_text() or ""
    for part in re.split(r"\n(?=(?:ENTRY )?%)", text):
        name = part.split(" (", 1)[0].removeprefix("ENTRY ").strip()
        where[name] = len(re.findall(MEETINGS, part))
    bodies = set(re.findall(r"(?:body|condition)=(%[\w.-]+)", text))
    return sum(where.values()), sum(where.get(name, 0) for name in bodies)


if __name__ == "__main__":
    print(json.dumps([*over_devices()]))
    sys.exit()
