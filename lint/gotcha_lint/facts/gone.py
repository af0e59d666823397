"""Since which release of JAX a name is gone.

Each was looked for in the last release of every minor version from 0.4.30 to 0.12.0 (0.4.30, 0.5.3,
0.6.2, 0.7.2, 0.8.3, 0.9.2, 0.10.2, 0.11.2, 0.12.0.1); those of (0, 4) were gone before.
"""

from __future__ import annotations

_GONE = {
    (0, 4): (
        "abstract_arrays api config.config config.disable_omnistaging config.enable_omnistaging "
        "config.omnistaging_enabled custom_transforms defjvp_all defvjp_all "
        "experimental.PartitionSpec experimental.export experimental.gda_serialization "
        "experimental.global_device_array experimental.optimizers experimental.pjit.PartitionSpec "
        "experimental.pjit.with_sharding_constraint experimental.stax "
        "interpreters.xla.DeviceArray lax.tie_in lib.xla_bridge.device_count "
        "lib.xla_bridge.local_device_count lib.xla_bridge.process_index linear_util mask "
        "nn.normalize numpy.DeviceArray numpy.Inf numpy.NINF numpy.NaN numpy.PINF numpy.alltrue "
        "numpy.cumproduct numpy.in1d numpy.issubsctype numpy.msort numpy.product numpy.row_stack "
        "numpy.sometrue numpy.trapz ops.index ops.index_add ops.index_max ops.index_min "
        "ops.index_mul ops.index_update partial random.KeyArray random.PRNGKeyArray "
        "random.default_prng_impl soft_pmap tree_all tree_multimap tree_reduce "
        "tree_util.tree_multimap"
    ),
    (0, 5): (
        "clear_backends core.ConcreteArray core.NamedShape core.as_named_shape "
        "core.extend_axis_env core.thread_local_state experimental.array_api experimental.maps "
        "lax.pdot lax.xeinsum lib.xla_client.Device lib.xla_client.XlaRuntimeError numpy.round_ "
        "random.shuffle sharding.XLACompatibleSharding xla_computation"
    ),
    (0, 6): (
        "core.ClosedJaxpr core.Jaxpr core.JaxprEqn core.Literal core.Primitive core.Var "
        "core.full_lower core.jaxpr_as_fun core.raise_to_shaped jaxlib.xla_extension "
        "lib.xla_extension.XlaRuntimeError spmd_mode tree_flatten tree_leaves tree_map "
        "tree_structure tree_transpose tree_unflatten"
    ),
    (0, 7): (
        "core.axis_frame core.call_p core.closed_call_p core.trace_state_clean dlpack.to_dlpack "
        "lax.infeed lax.outfeed sharding.GSPMDSharding sharding.PositionalSharding "
        "sharding.use_mesh"
    ),
    (0, 8): "core.UnshapedArray experimental.host_callback lib.xla_bridge.get_backend util",
    (0, 9): (
        "array_ref config.jax_pmap_no_rank_reduction experimental.disable_x64 "
        "experimental.enable_x64 lax.zeros_like_array lib.xla_bridge lib.xla_client "
        "lib.xla_extension tools.colab_tpu"
    ),
    (0, 10): (
        "ad_checkpoint.checkpoint ad_checkpoint.remat core.get_aval core.mapped_aval "
        "core.subjaxprs core.unmapped_aval device_put_replicated device_put_sharded lax.pvary "
        "numpy.fix scipy.special.sph_harm sharding.PmapSharding"
    ),
    (0, 11): "cloud_tpu_init core.concrete_or_error core.gensym core.is_concrete",
}
_ELSEWHERE = ("jaxlib.",)

SINCE: dict[str, tuple[int, int]] = {
    name if name.startswith(_ELSEWHERE) else f"jax.{name}": release
    for release, names in _GONE.items()
    for name in names.split()
}
