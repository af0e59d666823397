"""The model: parameters as a plain tree of arrays, and the stack of layers over them.

Wrong: `nnx.jit` of a step that takes modules: the module graph is walked again at every call.
Right: the modules are definitions. The parameters are dictionaries of arrays that any jit,
checkpoint or sharding understands, and a merge happens while tracing only.

Layers are scanned or unrolled, over the same parameters, stacked or in a list. A scan compiles one
layer whatever the depth, and is where recomputation (`compute.remat`) saves memory, as a CPU's
compiler removes it elsewhere; unrolled layers run faster. (gotchas: traced-shape)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx
from jax.sharding import PartitionSpec

from reference_trainer import parallel
from reference_trainer.config import Config, group
from reference_trainer.data.batch import Batch
from reference_trainer.model.attention import ATTENTION
from reference_trainer.model.layers import Block
from reference_trainer.model.parts import PRODUCT, Rows, normed

Params = dict[str, Any]
FLASH = "dot_product_attention_fwd"  # JAX's primitive around cuDNN's kernel
KEPT: dict[str, tuple[str, ...]] = {  # by `compute.remat`
    "full": (),
    "attention": (ATTENTION,),
    "dots": (PRODUCT, ATTENTION),
}


def init(key: jax.Array, config: Config) -> Params:
    """Float32 parameters; "layers" is a list of groups, or one of stacked arrays to be scanned."""
    model = config.model
    embed_key, layers_key, heads_key = jax.random.split(key, 3)
    keys = jax.random.split(layers_key, model.depth // group(config))
    make = functools.partial(_group_params, config=config)
    layers = jax.vmap(make)(keys) if scanned(config) else [make(key) for key in keys]
    sizes = () if model.tied else model.heads
    return {
        "embed": _tables(embed_key, model.features, model.width),
        "layers": layers,
        "norm": {"scale": jnp.ones(model.width)},
        "heads": _tables(heads_key, sizes, model.width),
    }


def hidden(
    params: Params,
    batch: Batch,
    config: Config,
    key: jax.Array | None = None,
    layouts: Any = None,
) -> jax.Array:
    """The last layer's output, x_BTD, in the compute type; with dropout where there is a key.

    With `layouts` of the layers, on each device: it holds parts of them, and one layer at a time is
    gathered.
    """
    rows = Rows(batch.segments, batch.positions, packed=config.data.batching == "pack")
    layers = params["layers"]
    count = config.model.depth // group(config)
    keys = None if key is None else jax.random.split(key, count)
    x_BTD = embedded(params, batch.inputs, config)

    if scanned(config):
        single = jax.tree.map(lambda layout: PartitionSpec(*layout[1:]), layouts)

        def one(x_BTD: jax.Array, part: tuple[Params, jax.Array | None]) -> tuple[jax.Array, None]:
            return _run_group(x_BTD, *part, rows=rows, config=config, layouts=single), None

        x_BTD, _ = jax.lax.scan(one, x_BTD, (layers, keys))
    else:
        for i in range(count):
            part = (layers[i], None if keys is None else keys[i])
            x_BTD = _run_group(
                x_BTD, *part, rows=rows, config=config, layouts=layouts and layouts[i]
            )
    return normed(x_BTD, params["norm"]["scale"])


def embedded(params: Params, inputs: jax.Array, config: Config) -> jax.Array:
    """The sum of the features' embeddings, ...D, in the compute type."""
    dtype = jnp.dtype(config.compute.dtype)
    # Cast after the look-up: before it, a common token's gradients would add up in bfloat16.
    parts = [table_VD[inputs[..., i]].astype(dtype) for i, table_VD in enumerate(params["embed"])]
    return functools.reduce(jnp.add, parts)


def _run_group(
    x_BTD: jax.Array,
    params: Params,
    key: jax.Array | None,
    *,
    rows: Rows,
    config: Config,
    layouts: Params | None = None,
) -> jax.Array:
    for i, kind in enumerate(kinds(config)):
        layer_key = None if key is None else jax.random.fold_in(key, i)
        if layouts is None:
            apply = _recomputed(_layer(kind, config, rows), config, i)
        else:
            apply = _sharded(kind, config, rows, i, layouts[str(i)])
        x_BTD = apply(params[str(i)], x_BTD, layer_key)
    return x_BTD


def _layer(kind: str, config: Config, rows: Rows) -> Callable[..., jax.Array]:
    def apply(params: Params, x_BTD: jax.Array, key: jax.Array | None) -> jax.Array:
        return nnx.merge(definition(config, kind), params)(x_BTD, rows, key)

    return apply


def _sharded(
    kind: str, config: Config, rows: Rows, i: int, layouts: Params
) -> Callable[..., jax.Array]:
    """A layer of which each device holds a part: gathered on the way forward, and again back.

    All parts of a batch (`optimizer.accumulate`) go through it while it is there, so that it is
    gathered and its gradients are summed once a step and not once a part. For the way back each
    part keeps its input.
    """
    parts = config.optimizer.accumulate

    def apply(params: Params, x_BTD: jax.Array, key: jax.Array | None) -> jax.Array:
        whole = parallel.gathered(params, layouts)
        if parts == 1:
            return _layer(kind, config, rows)(whole, x_BTD, key)

        @jax.checkpoint
        def one(part: tuple[jax.Array, ...]) -> jax.Array:
            x_BTD, segments_BT, positions_BT, number = part
            own = Rows(segments_BT, positions_BT, rows.packed)
            part_key = None if key is None else jax.random.fold_in(key, number)
            return _layer(kind, config, own)(whole, x_BTD, part_key)

        each = (x_BTD, rows.segments_BT, rows.positions_BT)
        in_parts = [leaf.reshape(parts, -1, *leaf.shape[1:]) for leaf in each]
        return jax.lax.map(one, (*in_parts, jnp.arange(parts))).reshape(x_BTD.shape)

    return jax.checkpoint(apply) if parts > 1 else _recomputed(apply, config, i, sharded=True)


def _recomputed(apply: Callable, config: Config, i: int, *, sharded: bool = False) -> Callable:
    """For the way back keep the inputs of the layer, and what KEPT names; whole weights never."""
    compute = config.compute
    named = compute.remat != "none" and i % compute.remat_every == 0
    if not (named or sharded):
        return apply
    return jax.checkpoint(apply, policy=_policy(KEPT[compute.remat]) if named else _not_gathered)


def _not_gathered(primitive: Any, *args: Any, **params: Any) -> bool:
    del args, params
    return not primitive.name.startswith("all_gather")


def _policy(names: tuple[str, ...]) -> Callable[..., bool]:
    """By name. cuDNN's attention is kept as a whole: its statistics have no name."""
    named = jax.checkpoint_policies.save_only_these_names(*names)

    def kept(primitive: Any, *args: Any, **params: Any) -> bool:
        flash = ATTENTION in names and primitive.name.startswith(FLASH)
        return flash or named(primitive, *args, **params)

    return kept


def kinds(config: Config) -> list[str]:
    pattern = config.model.pattern
    return [pattern[i % len(pattern)] for i in range(group(config))]


def _group_params(key: jax.Array, config: Config) -> Params:
    layers = kinds(config)
    keys = jax.random.split(key, len(layers))
    return {
        str(i): nnx.to_pure_dict(nnx.state(_block(kind, config, keys[i]), nnx.Param))
        for i, kind in enumerate(layers)
    }


def _tables(key: jax.Array, sizes: Sequence[int], width: int) -> list[jax.Array]:
    keys = jax.random.split(key, max(len(sizes), 1))
    return [width**-0.5 * jax.random.normal(keys[i], (v, width)) for i, v in enumerate(sizes)]


def _block(kind: str, config: Config, key: jax.Array | int = 0) -> Block:
    return Block(config, kind, rngs=nnx.Rngs(key))


@functools.cache
def definition(config: Config, kind: str) -> nnx.GraphDef:
    """The structure of a layer without its arrays: static, made once."""
    return nnx.graphdef(nnx.eval_shape(lambda: _block(kind, config)))


def scanned(config: Config) -> bool:
    return config.compute.layers == "scan"


def is_kernel(path: tuple[Any, ...]) -> bool:
    """Whether a path leads to a matrix of a layer."""
    return getattr(path[-1], "key", None) == "kernel"
