"""The forward function as a file that needs no code of ours to run, and its weights beside it.

For any number of rows of the trained length, each with one document. To run it:

    made = jax.export.deserialize(bytearray(path.read_bytes()))
    (shape, _), _ = jax.tree.unflatten(made.in_tree, range(made.in_tree.num_leaves))
    saved = numpy.load(f"{path}.npz")
    leaves = [saved[str(i)] for i in range(len(saved.files))]
    logits = made.call(jax.tree.unflatten(jax.tree.structure(shape), leaves), inputs)
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax import export as jax_export

from reference_trainer.config import Config, UserError
from reference_trainer.data.batch import Batch
from reference_trainer.extras.int8 import Int8, packed, unpacked
from reference_trainer.model import backbone
from reference_trainer.model.backbone import Params
from reference_trainer.model.heads import logits

PLATFORMS = frozenset({"cpu", "cuda", "rocm", "tpu"})


def forward(params: Params, inputs_BTF: jax.Array, config: Config) -> list[jax.Array]:
    """Logits, float32 BTV for each head, of rows that hold one document."""
    rows, length = inputs_BTF.shape[:2]
    ones_BT = jnp.ones((rows, length), jnp.int32)
    positions_BT = jnp.broadcast_to(jnp.arange(length, dtype=jnp.int32), (rows, length))
    batch = Batch(inputs_BTF, inputs_BTF, ones_BT, positions_BT, ones_BT)
    return logits(params, backbone.hidden(params, batch, config), config)


def write(
    params: Params,
    config: Config,
    path: Path,
    platforms: tuple[str, ...] = (),
    *,
    int8: bool = False,
) -> int:
    """Write the function for these platforms (default: the one in use); its size in bytes.

    With `int8` the matrices of the layers are saved as whole numbers: a quarter of the bytes.

    The weights are an argument of the function and are saved beside it, as `PATH.npz`: baked in,
    they would be constants of the program. (gotcha: large-constant-captured)
    """
    (rows,) = jax_export.symbolic_shape("rows")
    features = len(config.model.features)
    inputs = jax.ShapeDtypeStruct((rows, config.data.length, features), jnp.int32)
    params = packed(params) if int8 else params
    weights = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), params)

    def run(params: Params, inputs_BTF: jax.Array) -> list[jax.Array]:
        return forward(unpacked(params), inputs_BTF, config)

    if unknown := set(platforms) - PLATFORMS:
        raise UserError(
            f"--platforms: no {', '.join(sorted(unknown))}; known: {', '.join(sorted(PLATFORMS))}"
        )
    with suppress(ValueError):  # a second time: it is known already
        jax_export.register_namedtuple_serialization(Int8, serialized_name="reference_trainer.Int8")
    # Under a mesh the file would ask for it, and its symbolic number of rows would not be resolved.
    with jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh((), ())):
        made = jax_export.export(jax.jit(run), platforms=platforms or None)(weights, inputs)
    try:
        path.write_bytes(made.serialize())
    except ImportError:
        raise UserError("export needs: pip install flatbuffers") from None
    leaves = jax.device_get(jax.tree.leaves(params))
    np.savez(path.with_suffix(path.suffix + ".npz"), **{str(i): x for i, x in enumerate(leaves)})
    return path.stat().st_size
