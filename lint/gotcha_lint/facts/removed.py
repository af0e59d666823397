"""What is gone from JAX, Flax and Optax: qualified name -> since when, and what to use instead.

Since when JAX's names are gone was measured (gone.py); Flax and Optax have a table of their own.
"""

from __future__ import annotations

from collections.abc import Mapping

from gotcha_lint.facts.gone import SINCE
from gotcha_lint.facts.releases import Removed
from gotcha_lint.facts.removed_flax_optax import ROWS_GONE

LIBRARIES: set[str] = set()


def _renamed(pairs: str, old: str, new: str) -> dict[str, Removed]:
    """`a=b` words: old.a is now new.b."""
    split = (pair.partition("=")[::2] for pair in pairs.split())
    return {f"{old}{a}": Removed(f"{new}{b}", True) for a, b in split}


def _moved(names: str, old: str, new: str) -> dict[str, Removed]:
    """Each of `names` is the same in another module now."""
    return {f"{old}{name}": Removed(f"{new}{name}", True) for name in names.split()}


def _all(names: str, prefix: str, instead: str) -> dict[str, Removed]:
    return {f"{prefix}{name}": Removed(instead) for name in names.split()}


_ROWS: dict[str, Removed] = {
    **_renamed(
        "tree_map=map tree_leaves=leaves tree_flatten=flatten tree_unflatten=unflatten "
        "tree_structure=structure tree_transpose=transpose tree_reduce=reduce tree_all=all "
        "tree_multimap=map",
        "jax.",
        "jax.tree.",
    ),
    "jax.tree_util.tree_multimap": Removed("jax.tree.map", True),
    **_renamed(
        "trapz=trapezoid round_=round fix=trunc row_stack=vstack product=prod "
        "cumproduct=cumprod sometrue=any alltrue=all NaN=nan Inf=inf PINF=inf "
        "issubsctype=issubdtype",
        "jax.numpy.",
        "jax.numpy.",
    ),
    "jax.numpy.NINF": Removed("-jax.numpy.inf"),
    "jax.numpy.msort": Removed("jax.numpy.sort(x, axis=0)"),
    "jax.numpy.DeviceArray": Removed("jax.Array", True),
    "jax.interpreters.xla.DeviceArray": Removed("jax.Array", True),
    "jax.random.KeyArray": Removed("jax.Array", True),
    "jax.random.PRNGKeyArray": Removed("jax.Array", True),
    "jax.random.shuffle": Removed("jax.random.permutation(..., independent=True)"),
    "jax.numpy.in1d": Removed("jax.numpy.isin, which keeps the shape"),
    "jax.random.default_prng_impl": Removed(),
    "jax.nn.normalize": Removed("jax.nn.standardize", True),
    "jax.array_ref": Removed("jax.new_ref", True),
    "jax.core.get_aval": Removed("jax.typeof", True),
    "jax.ad_checkpoint.checkpoint": Removed("jax.checkpoint", True),
    "jax.ad_checkpoint.remat": Removed("jax.checkpoint", True),
    "jax.clear_backends": Removed("jax.clear_caches"),
    "jax.xla_computation": Removed("jax.jit(f).lower(...)"),
    "jax.config.config": Removed("jax.config", True),
    **_all("custom_transforms defvjp_all defjvp_all", "jax.", "jax.custom_vjp or jax.custom_jvp"),
    "jax.partial": Removed("functools.partial"),
    **_all("linear_util", "jax.", "jax.extend.linear_util"),
    **_all("abstract_arrays util api mask soft_pmap spmd_mode", "jax.", ""),
    "jax.lib.xla_bridge": Removed("jax.extend.backend, or jax.default_backend() and jax.devices()"),
    "jax.lib.xla_bridge.get_backend": Removed("jax.extend.backend.get_backend"),
    **_renamed(
        "device_count=device_count local_device_count=local_device_count "
        "process_index=process_index",
        "jax.lib.xla_bridge.",
        "jax.",
    ),
    "jax.lib.xla_client.Device": Removed("jax.Device", True),
    **_all(
        "xla_client.XlaRuntimeError xla_extension.XlaRuntimeError",
        "jax.lib.",
        "jax.errors.JaxRuntimeError",
    ),
    "jax.lib.xla_client": Removed(
        "jax.extend.backend, and jax.errors.JaxRuntimeError for its errors"
    ),
    "jax.lib.xla_extension": Removed("jax.errors.JaxRuntimeError for its errors"),
    "jaxlib.xla_extension": Removed("jax.errors.JaxRuntimeError for its errors"),
    "jax.tools.colab_tpu": Removed(),
    **_all(
        "enable_omnistaging disable_omnistaging omnistaging_enabled jax_pmap_no_rank_reduction",
        "jax.config.",
        "",
    ),
    **_all("device_put_replicated device_put_sharded", "jax.", "jax.device_put with a sharding"),
    **_all("maps", "jax.experimental.", "jax.shard_map, and jax.sharding.Mesh"),
    "jax.experimental.host_callback": Removed(
        "jax.pure_callback, jax.debug.callback or jax.experimental.io_callback"
    ),
    "jax.experimental.export": Removed("jax.export"),
    "jax.experimental.optimizers": Removed("optax, or jax.example_libraries.optimizers"),
    "jax.experimental.stax": Removed("jax.example_libraries.stax"),
    "jax.experimental.enable_x64": Removed("jax.enable_x64"),
    "jax.experimental.disable_x64": Removed("jax.enable_x64(False)"),
    **_all(
        "global_device_array gda_serialization",
        "jax.experimental.",
        "jax.Array, and a checkpoint library",
    ),
    "jax.experimental.PartitionSpec": Removed("jax.sharding.PartitionSpec"),
    "jax.experimental.array_api": Removed("jax.numpy"),
    "jax.experimental.pjit.PartitionSpec": Removed("jax.sharding.PartitionSpec", True),
    "jax.experimental.pjit.with_sharding_constraint": Removed(
        "jax.lax.with_sharding_constraint", True
    ),
    **_all("index_update index_add index_mul index_min index_max index", "jax.ops.", "x.at[...]"),
    "jax.lax.pvary": Removed("jax.lax.pcast(..., to='varying')"),
    "jax.lax.xeinsum": Removed("jax.numpy.einsum"),
    "jax.lax.zeros_like_array": Removed("jax.numpy.zeros_like", True),
    "jax.lax.tie_in": Removed("its second argument, which is what it gave"),
    **_all("pdot infeed outfeed", "jax.lax.", ""),
    "jax.scipy.special.sph_harm": Removed("jax.scipy.special.sph_harm_y, whose arguments differ"),
    **_all(
        "PositionalSharding GSPMDSharding PmapSharding XLACompatibleSharding",
        "jax.sharding.",
        "jax.sharding.NamedSharding",
    ),
    "jax.sharding.use_mesh": Removed("jax.set_mesh", True),
    "jax.dlpack.to_dlpack": Removed("the array itself: `from_dlpack(x)` takes it"),
    **_all(
        "Primitive Jaxpr ClosedJaxpr JaxprEqn Var Literal jaxpr_as_fun",
        "jax.core.",
        "jax.extend.core",
    ),
    **_all(
        "NamedShape axis_frame trace_state_clean raise_to_shaped as_named_shape ConcreteArray "
        "UnshapedArray extend_axis_env thread_local_state call_p closed_call_p full_lower "
        "canonicalize_shape check_eqn cur_sublevel new_base_main new_main new_sublevel MainTrace "
        "definitely_equal symbolic_equal_dim dimension_as_value pp_eqn pp_eqns pp_jaxpr pp_var "
        "AxisName EvalTrace MapPrimitive Shape concrete_aval dedup_referents get_referent get_type "
        "join_effects lattice_join reset_trace_state typecheck typecompat typematch "
        "used_axis_names_jaxpr call_impl traverse_jaxpr_params CallPrimitive OutputType "
        "JaxprPpContext JaxprPpSettings aval_mapping_handlers concretization_function_error "
        "custom_typechecks is_concrete is_constant_dim is_constant_shape literalable_types "
        "no_axis_name trace_ctx",
        "jax.core.",
        "",
    ),
    **_moved(
        "AbstractToken TraceTag set_current_trace take_current_trace mapped_aval unmapped_aval "
        "subjaxprs DebugInfo DropVar Effect Effects check_jaxpr concrete_or_error find_top_trace "
        "gensym get_opaque_trace_state jaxprs_in_params new_jaxpr_eqn no_effects "
        "nonempty_axis_env_DO_NOT_USE primal_dtype_to_tangent_dtype "
        "unsafe_am_i_under_a_jit_DO_NOT_USE unsafe_am_i_under_a_vmap_DO_NOT_USE "
        "unsafe_get_axis_names_DO_NOT_USE valid_jaxtype",
        "jax.core.",
        "jax.extend.core.",
    ),
    **_moved(
        "InconclusiveDimensionOperation JaxprTypeError ConcretizationTypeError",
        "jax.core.",
        "jax.errors.",
    ),
    "jax.core.abstract_token": Removed("jax.ffi.abstract_token", True),
    **_all(
        "extend.core.CallPrimitive custom_remat errors.SimplifiedTraceback experimental.attrs "
        "interpreters.batching.NotMapped interpreters.mlir.custom_call tree_util.build_tree "
        "interpreters.xla.pytype_aval_mappings interpreters.xla.translations interpreters.xla.xb "
        "interpreters.xla.xc interpreters.xla.xe interpreters.xla.abstractify lax.infeed_p "
        "lax.outfeed_p",
        "jax.",
        "",
    ),
    "jax.extend.ffi": Removed("jax.ffi"),
    "jax.treedef_is_leaf": Removed("jax.tree_util.treedef_is_leaf", True),
    "jax.experimental.x64_context": Removed("jax.enable_x64"),
    "jax.experimental.mutable_array": Removed("jax.new_ref", True),
    "jax.numpy.lax_numpy": Removed("jax.numpy"),
    **_all(
        "Chunked MapTracer NoSharding PmapExecutable Replicated ShardedAxis ShardingSpec Unstacked "
        "parallel_callable shard_args spec_to_indices xla_pmap_p ArrayMapping MeshAxisName "
        "MeshExecutable array_mapping_to_axis_resources PartitionSpec are_hlo_shardings_equal "
        "is_hlo_sharding_replicated op_sharding_to_indices",
        "jax.interpreters.pxla.",
        "",
    ),
    "jax.cloud_tpu_init": Removed(),
}

REMOVED = {name: row._replace(since=SINCE[name]) for name, row in _ROWS.items()} | ROWS_GONE

# Function -> its arguments that are gone -> the new name, or what to do.
KEYWORDS: dict[str, dict[str, Removed]] = {
    "jax.numpy.clip": {
        "a_min": Removed("min", True, since=(0, 10)),
        "a_max": Removed("max", True, since=(0, 10)),
    },
    "jax.numpy.reshape": {"newshape": Removed("shape", True, since=(0, 5))},
    "jax.nn.softmax": {"initial": Removed(since=(0, 5))},
    "jax.nn.log_softmax": {"initial": Removed(since=(0, 5))},
    "jax.checkpoint": {"concrete": Removed("`static_argnums`", since=(0, 4))},
    "jax.jit": {  # and `pjit`, which has become the same
        "abstracted_axes": Removed(since=(0, 8)),
        "in_axis_resources": Removed("in_shardings", True, since=(0, 5)),
        "out_axis_resources": Removed("out_shardings", True, since=(0, 5)),
    },
}
LAST_WORDS = frozenset(name.rpartition(".")[2] for name in REMOVED)


def row_of(name: str, table: Mapping[str, Removed]) -> tuple[str, Removed] | None:
    """The row of a qualified name, or of the module that it is in."""
    while name:
        if name in table:
            return name, table[name]
        name = name.rpartition(".")[0]
    return None
