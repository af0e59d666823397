"""Tensor parallelism by `jax.shard_map`, beside data parallelism, on a mesh with explicit axes.

Two axes: rows of a batch are spread over "data", the hidden units of each MLP over "model". The
first matrix of a block is cut by columns, the second by rows: each device computes its own hidden
units from end to end, and one sum over "model" completes the block. That is the only transfer of
the forward pass; the backward pass has one for each block, and one for the gradients, over "data".

Wrong: a sum after each of the two matrices, or hidden units that are gathered: twice the transfers.
Wrong: a mesh whose axes are left to the compiler (`AxisType.Auto`) in code that has decided already
where everything lies: a layout that does not fit is then repaired by transfers, without a word.
Right: explicit axes, set once by `jax.set_mesh`: what does not fit is an error.

    XLA_FLAGS=--xla_force_host_platform_device_count=8 python examples/tensor_parallel.py 2 4
"""

from __future__ import annotations

import argparse
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

WIDTH, HIDDEN, BLOCKS, ROWS, RATE = 32, 128, 2, 64, 0.05


class Block(NamedTuple):
    """An MLP with a residual connection; the hidden units H are cut over "model"."""

    up_DH: jax.Array
    down_HD: jax.Array


LAYOUT = Block(P(None, "model"), P("model", None))


def init(key: jax.Array) -> list[Block]:
    keys = jax.random.split(key, (BLOCKS, 2))
    return [
        Block(
            jax.random.normal(keys[i, 0], (WIDTH, HIDDEN)) * WIDTH**-0.5,
            jax.random.normal(keys[i, 1], (HIDDEN, WIDTH)) * HIDDEN**-0.5,
        )
        for i in range(BLOCKS)
    ]


def forward(blocks: list[Block], x_BD: jax.Array) -> jax.Array:
    """On one device of the mesh: its own rows, its own hidden units."""
    for block in blocks:
        own_BH = jax.nn.gelu(x_BD @ block.up_DH)
        x_BD = x_BD + lax.psum(own_BH @ block.down_HD, "model")
    return x_BD


def loss(blocks: list[Block], x_BD: jax.Array, y_BD: jax.Array) -> jax.Array:
    """The mean over all rows, the same on every device."""
    error = jnp.sum((forward(blocks, x_BD) - y_BD) ** 2) / (ROWS * WIDTH)
    return lax.psum(error, "data")


@functools.partial(jax.jit, donate_argnums=0)
def step(blocks: list[Block], x_BD: jax.Array, y_BD: jax.Array) -> tuple[list[Block], jax.Array]:
    """Plain descent. Differentiated outside: `shard_map` knows which parts are shared."""
    layouts = [LAYOUT] * BLOCKS
    whole = jax.shard_map(loss, in_specs=(layouts, P("data"), P("data")), out_specs=P())
    value, grads = jax.value_and_grad(whole)(blocks, x_BD, y_BD)
    return jax.tree.map(lambda w, g: w - RATE * g, blocks, grads), value


def train(steps: int, data: int, model: int) -> list[float]:
    """The losses on `data` x `model` devices; they do not depend on how many there are."""
    axes = (AxisType.Explicit, AxisType.Explicit)
    mesh = jax.make_mesh((data, model), ("data", "model"), axis_types=axes)
    with jax.set_mesh(mesh):
        shardings = [jax.tree.map(lambda spec: NamedSharding(mesh, spec), LAYOUT)] * BLOCKS
        blocks = jax.jit(init, out_shardings=shardings)(jax.random.key(0))
        x_BD = jax.device_put(jax.random.normal(jax.random.key(1), (ROWS, WIDTH)), P("data"))
        y_BD = jax.device_put(jnp.sin(jnp.arange(ROWS * WIDTH)).reshape(ROWS, WIDTH), P("data"))
        losses = []
        for _ in range(steps):
            blocks, value = step(blocks, x_BD, y_BD)
            losses.append(value)
        return [float(value) for value in jax.device_get(losses)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=int, nargs="?", default=1, help="devices for rows")
    parser.add_argument("model", type=int, nargs="?", default=1, help="devices for hidden units")
    args = parser.parse_args()
    losses = train(20, args.data, args.model)
    print(f"{args.data} x {args.model} devices: loss {losses[0]:.4f} -> {losses[-1]:.4f}")
