"""Since which release of JAX a name is gone.

Each was looked for in the last release of every minor version from 0.4.30 to 0.12.0 (0.4.30, 0.5.3,
0.6.2, 0.7.2, 0.8.3, 0.9.2, 0.10.2, 0.11.2, 0.12.0.1); those of (0, 4) were gone before.
"""

from __future__ import annotations

_GONE = {
    (0, 4): (
        "abstract_arrays api config.config config.disable_omnistaging config.enable_omnistaging "
        "config.omnistaging_enabled core.Shape custom_transforms defjvp_all defvjp_all "
        "experimental.PartitionSpec experimental.export experimental.gda_serialization "
        "experimental.global_device_array experimental.optimizers "
        "experimental.pjit.PartitionSpec experimental.pjit.with_sharding_constraint "
        "experimental.stax interpreters.pxla.PartitionSpec interpreters.xla.DeviceArray "
        "interpreters.xla.translations lax.tie_in lib.xla_bridge.device_count "
        "lib.xla_bridge.local_device_count lib.xla_bridge.process_index linear_util mask "
        "nn.normalize numpy.DeviceArray numpy.Inf numpy.NINF numpy.NaN numpy.PINF numpy.alltrue "
        "numpy.cumproduct numpy.in1d numpy.issubsctype numpy.lax_numpy numpy.msort numpy.product "
        "numpy.row_stack numpy.sometrue numpy.trapz ops.index ops.index_add ops.index_max "
        "ops.index_min ops.index_mul ops.index_update partial random.KeyArray "
        "random.PRNGKeyArray random.default_prng_impl soft_pmap tree_all tree_multimap "
        "tree_reduce tree_util.tree_multimap"
    ),
    (0, 5): (
        "clear_backends core.ConcreteArray core.MainTrace core.NamedShape core.as_named_shape "
        "core.canonicalize_shape core.check_eqn core.cur_sublevel core.definitely_equal "
        "core.dimension_as_value core.extend_axis_env core.new_base_main core.new_main "
        "core.new_sublevel core.pp_eqn core.pp_eqns core.pp_jaxpr core.pp_var "
        "core.symbolic_equal_dim core.thread_local_state experimental.array_api "
        "experimental.maps interpreters.xla.xb interpreters.xla.xc interpreters.xla.xe lax.pdot "
        "lax.xeinsum lib.xla_client.Device lib.xla_client.XlaRuntimeError numpy.round_ "
        "random.shuffle sharding.XLACompatibleSharding xla_computation"
    ),
    (0, 6): (
        "core.ClosedJaxpr core.EvalTrace core.Jaxpr core.JaxprEqn core.Literal core.MapPrimitive "
        "core.Primitive core.Var core.concrete_aval core.dedup_referents core.full_lower "
        "core.get_referent core.jaxpr_as_fun core.join_effects core.lattice_join "
        "core.raise_to_shaped core.reset_trace_state core.typecompat core.used_axis_names_jaxpr "
        "jaxlib.xla_extension lib.xla_extension.XlaRuntimeError spmd_mode tree_flatten "
        "tree_leaves tree_map tree_structure tree_transpose tree_unflatten treedef_is_leaf"
    ),
    (0, 7): (
        "core.AxisName core.ConcretizationTypeError core.axis_frame core.call_p "
        "core.closed_call_p core.get_type core.trace_state_clean core.typecheck core.typematch "
        "dlpack.to_dlpack experimental.attrs interpreters.xla.abstractify "
        "interpreters.xla.pytype_aval_mappings lax.infeed lax.infeed_p lax.outfeed lax.outfeed_p "
        "sharding.GSPMDSharding sharding.PositionalSharding sharding.use_mesh "
        "tree_util.build_tree"
    ),
    (0, 8): (
        "core.UnshapedArray errors.SimplifiedTraceback experimental.host_callback extend.ffi "
        "interpreters.mlir.custom_call lib.xla_bridge.get_backend util"
    ),
    (0, 9): (
        "array_ref config.jax_pmap_no_rank_reduction experimental.disable_x64 "
        "experimental.enable_x64 experimental.mutable_array lax.zeros_like_array lib.xla_bridge "
        "lib.xla_client lib.xla_extension tools.colab_tpu"
    ),
    (0, 10): (
        "ad_checkpoint.checkpoint ad_checkpoint.remat core.AbstractToken core.TraceTag "
        "core.call_impl core.get_aval core.mapped_aval core.set_current_trace core.subjaxprs "
        "core.take_current_trace core.traverse_jaxpr_params core.unmapped_aval "
        "device_put_replicated device_put_sharded experimental.x64_context "
        "interpreters.batching.NotMapped interpreters.pxla.Chunked interpreters.pxla.MapTracer "
        "interpreters.pxla.NoSharding interpreters.pxla.PmapExecutable "
        "interpreters.pxla.Replicated interpreters.pxla.ShardedAxis "
        "interpreters.pxla.ShardingSpec interpreters.pxla.Unstacked "
        "interpreters.pxla.parallel_callable interpreters.pxla.shard_args "
        "interpreters.pxla.spec_to_indices interpreters.pxla.xla_pmap_p lax.pvary numpy.fix "
        "scipy.special.sph_harm sharding.PmapSharding"
    ),
    (0, 11): (
        "cloud_tpu_init core.CallPrimitive core.DebugInfo core.DropVar core.Effect core.Effects "
        "core.InconclusiveDimensionOperation core.JaxprPpContext core.JaxprPpSettings "
        "core.JaxprTypeError core.OutputType core.abstract_token core.aval_mapping_handlers "
        "core.check_jaxpr core.concrete_or_error core.concretization_function_error "
        "core.custom_typechecks core.find_top_trace core.gensym core.get_opaque_trace_state "
        "core.is_concrete core.is_constant_dim core.is_constant_shape core.jaxprs_in_params "
        "core.literalable_types core.new_jaxpr_eqn core.no_axis_name core.no_effects "
        "core.nonempty_axis_env_DO_NOT_USE core.primal_dtype_to_tangent_dtype core.trace_ctx "
        "core.unsafe_am_i_under_a_jit_DO_NOT_USE core.unsafe_am_i_under_a_vmap_DO_NOT_USE "
        "core.unsafe_get_axis_names_DO_NOT_USE core.valid_jaxtype extend.core.CallPrimitive "
        "interpreters.pxla.ArrayMapping interpreters.pxla.MeshAxisName "
        "interpreters.pxla.MeshExecutable interpreters.pxla.are_hlo_shardings_equal "
        "interpreters.pxla.array_mapping_to_axis_resources "
        "interpreters.pxla.is_hlo_sharding_replicated interpreters.pxla.op_sharding_to_indices"
    ),
    (0, 12): ("custom_remat"),
}
_ELSEWHERE = ("jaxlib.",)

SINCE: dict[str, tuple[int, int]] = {
    name if name.startswith(_ELSEWHERE) else f"jax.{name}": release
    for release, names in _GONE.items()
    for name in names.split()
}

# Names that are no older than this release: absent before it, and gone again since.
CAME: dict[str, tuple[int, int]] = {
    "jax.custom_remat": (0, 11),
    "jax.extend.core.CallPrimitive": (0, 10),
}
