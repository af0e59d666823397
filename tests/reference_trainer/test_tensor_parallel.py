"""The example of tensor parallelism: the same losses on any mesh, one transfer a block."""

from __future__ import annotations

import numpy as np

from tests.reference_trainer.support import printed

PROGRAM = """
import json, sys
sys.path.insert(0, "examples")
import jax, jax.numpy as jnp
import tensor_parallel as tp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
losses = [tp.train(3, *shape) for shape in ((1, 1), (8, 1), (2, 4))]
axes = (AxisType.Explicit,) * 2
mesh = jax.make_mesh((2, 4), ("data", "model"), axis_types=axes)
with jax.set_mesh(mesh):
    def shape(spec, *sizes):
        return jax.ShapeDtypeStruct(sizes, jnp.float32, sharding=NamedSharding(mesh, spec))
    up, down = shape(tp.LAYOUT[0], 32, 128), shape(tp.LAYOUT[1], 128, 32)
    specs = ([tp.LAYOUT] * tp.BLOCKS, P("data"))
    run = jax.jit(jax.shard_map(tp.forward, in_specs=specs, out_specs=P("data")))
    x_BD = shape(P("data"), tp.ROWS, tp.WIDTH)
    text = run.lower([tp.Block(up, down)] * tp.BLOCKS, x_BD).as_text()
    refused = ""
    try:  # explicit axes: what does not fit is an error, not a transfer
        run.lower([tp.Block(shape(P(), 32, 128), down)] * tp.BLOCKS, x_BD)
    except ValueError as error:
        refused = str(error)
names = ("all_reduce", "all_gather", "all_to_all")
print(json.dumps([losses, {name: text.count(f"stablehlo.{name}") for name in names}, refused]))
"""


def test_the_losses_are_those_of_one_device_with_one_transfer_a_block():
    (one, *others), transfers, refused = printed(PROGRAM, devices=8)
    assert one[-1] < one[0]
    for losses in others:
        np.testing.assert_allclose(losses, one, rtol=1e-5)
    assert transfers == {"all_reduce": 2, "all_gather": 0, "all_to_all": 0}
    assert "does not match the specs of the input" in refused
