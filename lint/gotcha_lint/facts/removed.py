"""What is gone from JAX, Flax and Optax: qualified name -> since when, and what to use instead.

Each name was tried on jax 0.10.2, flax 0.12.8 and optax 0.2.8; those of 0.11 were read in its
source.
"""

from __future__ import annotations

from typing import NamedTuple

LIBRARIES: set[str] = set()


class Removed(NamedTuple):
    since: tuple[int, ...] = (0, 10)  # of jax; () where it is about another library
    instead: str = ""  # in words, or the new qualified name
    rename: bool = False  # `instead` takes the same arguments and means the same
    was: str = ""  # the library and release, for the message


_JAX = Removed()


def _renamed(pairs: str, old: str, new: str) -> dict[str, Removed]:
    """`a=b` words: old.a is now new.b."""
    split = (pair.partition("=")[::2] for pair in pairs.split())
    return {f"{old}{a}": Removed((0, 10), f"{new}{b}", True) for a, b in split}


def _all(
    names: str, prefix: str, instead: str, since: tuple[int, ...] = (0, 10)
) -> dict[str, Removed]:
    return {f"{prefix}{name}": Removed(since, instead) for name in names.split()}


REMOVED: dict[str, Removed] = {
    **_renamed(
        "tree_map=map tree_leaves=leaves tree_flatten=flatten tree_unflatten=unflatten "
        "tree_structure=structure tree_transpose=transpose tree_reduce=reduce tree_all=all "
        "tree_multimap=map",
        "jax.",
        "jax.tree.",
    ),
    "jax.tree_util.tree_multimap": Removed((0, 10), "jax.tree.map", True),
    **_renamed(
        "trapz=trapezoid round_=round fix=trunc row_stack=vstack product=prod "
        "cumproduct=cumprod sometrue=any alltrue=all NaN=nan Inf=inf PINF=inf "
        "issubsctype=issubdtype",
        "jax.numpy.",
        "jax.numpy.",
    ),
    "jax.numpy.NINF": Removed((0, 10), "-jax.numpy.inf"),
    "jax.numpy.msort": Removed((0, 10), "jax.numpy.sort(x, axis=0)"),
    "jax.numpy.DeviceArray": Removed((0, 10), "jax.Array", True),
    "jax.interpreters.xla.DeviceArray": Removed((0, 10), "jax.Array", True),
    "jax.random.KeyArray": Removed((0, 10), "jax.Array", True),
    "jax.random.PRNGKeyArray": Removed((0, 10), "jax.Array", True),
    "jax.random.shuffle": Removed((0, 10), "jax.random.permutation(..., independent=True)"),
    "jax.numpy.in1d": Removed((0, 10), "jax.numpy.isin, which keeps the shape"),
    "jax.random.default_prng_impl": _JAX,
    "jax.nn.normalize": Removed((0, 10), "jax.nn.standardize", True),
    "jax.array_ref": Removed((0, 10), "jax.new_ref", True),
    "jax.core.get_aval": Removed((0, 10), "jax.typeof", True),
    "jax.ad_checkpoint.checkpoint": Removed((0, 10), "jax.checkpoint", True),
    "jax.ad_checkpoint.remat": Removed((0, 10), "jax.checkpoint", True),
    "jax.clear_backends": Removed((0, 10), "jax.clear_caches"),
    "jax.xla_computation": Removed((0, 10), "jax.jit(f).lower(...)"),
    "jax.config.config": Removed((0, 10), "jax.config", True),
    **_all("custom_transforms defvjp_all defjvp_all", "jax.", "jax.custom_vjp or jax.custom_jvp"),
    "jax.partial": Removed((0, 10), "functools.partial"),
    **_all("linear_util", "jax.", "jax.extend.linear_util"),
    **_all("abstract_arrays util api mask soft_pmap spmd_mode", "jax.", ""),
    "jax.lib.xla_bridge": Removed(
        (0, 10), "jax.extend.backend, or jax.default_backend() and jax.devices()"
    ),
    "jax.lib.xla_bridge.get_backend": Removed((0, 10), "jax.extend.backend.get_backend"),
    **_renamed(
        "device_count=device_count local_device_count=local_device_count "
        "process_index=process_index",
        "jax.lib.xla_bridge.",
        "jax.",
    ),
    "jax.lib.xla_client.Device": Removed((0, 10), "jax.Device", True),
    **_all(
        "xla_client.XlaRuntimeError xla_extension.XlaRuntimeError",
        "jax.lib.",
        "jax.errors.JaxRuntimeError",
    ),
    "jax.lib.xla_client": Removed(
        (0, 10), "jax.extend.backend, and jax.errors.JaxRuntimeError for its errors"
    ),
    "jax.lib.xla_extension": Removed((0, 10), "jax.errors.JaxRuntimeError for its errors"),
    "jaxlib.xla_extension": Removed((0, 10), "jax.errors.JaxRuntimeError for its errors"),
    "jax.tools.colab_tpu": _JAX,
    **_all(
        "enable_omnistaging disable_omnistaging omnistaging_enabled jax_pmap_no_rank_reduction",
        "jax.config.",
        "",
    ),
    **_all("device_put_replicated device_put_sharded", "jax.", "jax.device_put with a sharding"),
    **_all("maps", "jax.experimental.", "jax.shard_map, and jax.sharding.Mesh"),
    "jax.experimental.host_callback": Removed(
        (0, 10), "jax.pure_callback, jax.debug.callback or jax.experimental.io_callback"
    ),
    "jax.experimental.export": Removed((0, 10), "jax.export"),
    "jax.experimental.optimizers": Removed((0, 10), "optax, or jax.example_libraries.optimizers"),
    "jax.experimental.stax": Removed((0, 10), "jax.example_libraries.stax"),
    "jax.experimental.enable_x64": Removed((0, 10), "jax.enable_x64"),
    "jax.experimental.disable_x64": Removed((0, 10), "jax.enable_x64(False)"),
    **_all(
        "global_device_array gda_serialization",
        "jax.experimental.",
        "jax.Array, and a checkpoint library",
    ),
    "jax.experimental.PartitionSpec": Removed((0, 10), "jax.sharding.PartitionSpec"),
    "jax.experimental.array_api": Removed((0, 10), "jax.numpy"),
    "jax.experimental.pjit.PartitionSpec": Removed((0, 10), "jax.sharding.PartitionSpec", True),
    "jax.experimental.pjit.with_sharding_constraint": Removed(
        (0, 10), "jax.lax.with_sharding_constraint", True
    ),
    **_all("index_update index_add index_mul index_min index_max index", "jax.ops.", "x.at[...]"),
    "jax.lax.pvary": Removed((0, 10), "jax.lax.pcast(..., to='varying')"),
    "jax.lax.xeinsum": Removed((0, 10), "jax.numpy.einsum"),
    "jax.lax.zeros_like_array": Removed((0, 10), "jax.numpy.zeros_like", True),
    "jax.lax.tie_in": Removed((0, 10), "its second argument, which is what it gave"),
    **_all("pdot infeed outfeed", "jax.lax.", ""),
    "jax.scipy.special.sph_harm": Removed(
        (0, 10), "jax.scipy.special.sph_harm_y, whose arguments differ"
    ),
    **_all(
        "PositionalSharding GSPMDSharding PmapSharding XLACompatibleSharding",
        "jax.sharding.",
        "jax.sharding.NamedSharding",
    ),
    "jax.sharding.use_mesh": Removed((0, 10), "jax.set_mesh", True),
    "jax.dlpack.to_dlpack": Removed((0, 10), "the array itself: `from_dlpack(x)` takes it"),
    **_all(
        "Primitive Jaxpr ClosedJaxpr JaxprEqn Var Literal jaxpr_as_fun",
        "jax.core.",
        "jax.extend.core",
    ),
    **_all(
        "NamedShape axis_frame trace_state_clean raise_to_shaped as_named_shape ConcreteArray "
        "UnshapedArray extend_axis_env thread_local_state mapped_aval unmapped_aval subjaxprs "
        "call_p "
        "closed_call_p full_lower",
        "jax.core.",
        "",
    ),
    **_all("is_concrete concrete_or_error gensym", "jax.core.", "", (0, 11)),
    "jax.cloud_tpu_init": Removed((0, 11)),
    "flax.optim": Removed((), "optax", was="flax"),
    "flax.nn": Removed((), "flax.linen or flax.nnx", was="flax"),
    "flax.deprecated": Removed((), "flax.linen or flax.nnx", was="flax"),
    "optax.additive_weight_decay": Removed((), "optax.add_decayed_weights", True, "optax"),
    "optax.muon": Removed((), "optax.contrib.muon", True, "optax"),
    **{
        f"optax.{name}": Removed((), "", was="optax 0.2.7")
        for name in [
            "control_variates",
            "stochastic_gradient_estimators",
            "monte_carlo",
            "create_additive_mask",
            "hessian_diag",
            "fisher_diag",
            "control_delta_method",
        ]
    },
}

# Function -> its arguments that are gone -> the new name, or what to do.
KEYWORDS: dict[str, dict[str, Removed]] = {
    "jax.numpy.clip": {
        "a_min": Removed((0, 10), "min", True),
        "a_max": Removed((0, 10), "max", True),
    },
    "jax.numpy.reshape": {"newshape": Removed((0, 10), "shape", True)},
    "jax.nn.softmax": {"initial": _JAX},
    "jax.nn.log_softmax": {"initial": _JAX},
    "jax.checkpoint": {"concrete": Removed((0, 10), "`static_argnums`")},
    "jax.jit": {"abstracted_axes": _JAX},
}
LAST_WORDS = frozenset(name.rpartition(".")[2] for name in REMOVED)


def removed(name: str) -> tuple[str, Removed] | None:
    """The row of a qualified name, or of the module that it is in."""
    while name:
        if name in REMOVED:
            return name, REMOVED[name]
        name = name.rpartition(".")[0]
    return None
