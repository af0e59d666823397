"""Names of JAX's options, and of the environment variables that it and XLA read.

Read from jax 0.10.2, 0.11.2 and 0.12.0.1 themselves; what is gone, from the last release of each
minor version since 0.4.30.
"""

from __future__ import annotations

from typing import NamedTuple

LIBRARIES: set[str] = set()


class Gone(NamedTuple):
    """An option that was there once."""

    since: tuple[int, int]  # the first minor release without it
    instead: str = ""


_NOW = """
    accurate_erf_inv allow_f16_reductions array_garbage_collection_guard auto_pcast backend_target
    bcoo_cusparse_lowering captured_constants_report_frames captured_constants_warn_bytes
    check_proxy_envs check_static_indices check_tracer_leaks compilation_cache_check_contents
    compilation_cache_dir compilation_cache_expect_pgle compilation_cache_include_metadata_in_key
    compilation_cache_max_size compiler_detailed_logging_min_ops compiler_enable_remat_pass
    cpu_collectives_implementation cpu_enable_async_dispatch cpu_get_global_topology_timeout_minutes
    cpu_get_local_topology_timeout_minutes cross_host_transfer_socket_address
    cross_host_transfer_timeout_seconds cross_host_transfer_transfer_size
    cross_host_transport_addresses cuda_visible_devices custom_jvp3 custom_vjp3 debug_infs
    debug_key_reuse debug_leaked_clients_on_clear_backends debug_log_modules debug_nans
    default_device default_matmul_precision default_prng_impl disable_bwd_checks disable_jit
    disable_most_optimizations disable_vmap_shmap_error disallow_mesh_context_manager
    distributed_debug distributed_verify_secure_credentials dump_ir_modes dump_ir_to
    embedded_constants_max_bytes enable_checks enable_compilation_cache enable_custom_prng
    enable_pgle enable_preemption_service enable_recoverability enable_x64
    error_checking_behavior_divide error_checking_behavior_nan error_checking_behavior_oob
    experimental_unsafe_xla_runtime_errors explain_cache_misses explicit_x64_dtypes
    export_calling_convention_version export_deserialize_expired_versions
    export_ignore_forward_compatibility force_dcn_cross_host_transfers high_dynamic_range_gumbel
    hlo_source_file_canonicalization_regex include_debug_info_in_dumps
    include_full_tracebacks_in_locations legacy_prng_key log_checkpoint_residuals log_compiles
    logging_level memory_fitting_level mock_gpu_topology mosaic_allow_hlo
    mosaic_unzip_debug_locations mtls_ca_file mtls_cert_file mtls_key_file mtls_peer_uri_prefix
    mutable_array_checks no_execution no_tracing num_cpu_devices numpy_dtype_promotion
    numpy_rank_promotion oneapi_visible_devices optimization_level pallas_auto_assign_collective_ids
    pallas_auto_assign_collective_ids_limit pallas_enable_debug_checks pallas_poison_buffers
    pallas_verbose_errors persistent_cache_enable_xla_caches persistent_cache_min_compile_time_secs
    persistent_cache_min_entry_size_bytes pgle_aggregation_percentile pgle_profiling_runs
    pjrt_client_create_options platform_name platforms pprint_use_color
    ragged_dot_use_ragged_dot_instruction raise_on_ppermute_sort_diff raise_persistent_cache_errors
    random_seed_offset remat3 remat_barrier_no_cotangents
    remove_custom_partitioning_ptr_from_cache_key remove_size_one_mesh_axis_from_type
    rocm_visible_devices scan3 send_traceback_to_runtime serialization_version
    share_binary_between_hosts share_binary_between_hosts_timeout_ms softmax_custom_jvp
    sort_devices_by_process_index source_url_schema thread_guard threefry_gpu_kernel_lowering
    threefry_partitionable traceback_filtering traceback_in_locations_limit
    tracer_error_num_traceback_frames transfer_guard transfer_guard_device_to_device
    transfer_guard_device_to_host transfer_guard_host_to_device use_cpp_shard_args
    use_direct_linearize use_emit_pipeline_primitive use_hlo_logistic_lowering use_magma use_rgv3
    use_shardy_partitioner use_simplified_jaxpr_constants xla_backend xla_profile_version
"""
_ONCE = {
    # Before 0.4.30, the oldest that was tried.
    (0, 4): """
        array cpp_jit cpp_pjit cpp_pmap experimental_name_stack host_callback_inline
        host_callback_legacy host_callback_max_queue_byte_size host_callback_outfeed
        jit_pjit_api_merge omnistaging parallel_functions_output_gda
        share_autotune_config_between_hosts
    """,
    (0, 5): "enable_memories sharding_in_types",
    (0, 6): """
        data_dependent_tracing_fallback eager_pmap pallas_enable_runtime_assert remat_opt_barrier
        spmd_mode varying_axes_in_types
    """,
    (0, 7): "enable_empty_arrays",
    (0, 8): """
        cpu_enable_gloo_collectives custom_vjp_disable_shape_check dynamic_shapes
        pallas_dump_promela_to vjp3
    """,
    (0, 9): "collectives_common_channel_id pmap_no_rank_reduction safer_randint",
    (0, 10): "default_dtype_bits enable_custom_vjp_by_custom_transpose pmap_shmap_merge",
    (0, 11): """
        exec_time_optimization_effort memory_fitting_effort pallas_use_mosaic_gpu refs_to_pins
    """,
    (0, 12): "ragged_dot_use_gpu_pallas_triton_lowering",
}
_INSTEAD = {
    "cpu_enable_gloo_collectives": 'jax_cpu_collectives_implementation="gloo"',
    "exec_time_optimization_effort": "jax_optimization_level",
    "memory_fitting_effort": "jax_memory_fitting_level",
}

# Options of `jax.config`, of each release that is supported.
OPTIONS = frozenset(f"jax_{name}" for name in _NOW.split())
GONE = {
    f"jax_{name}": Gone(since, _INSTEAD.get(name, ""))
    for since, names in _ONCE.items()
    for name in names.split()
}

UPDATES = frozenset({"jax.config.update", "jax.config.config.update"})

# What is read from the environment beside the options, by JAX, XLA and those who start processes.
_OTHERS = """
    JAX_CLUSTER_DETECTION JAX_COORDINATOR_ADDRESS JAX_COORDINATOR_BIND_ADDRESS JAX_COORDINATOR_IP
    JAX_COORDINATOR_PORT JAX_EXPORT_IGNORE_FORWARD_COMPATIBILIY JAX_LOCAL_DEVICE_IDS
    JAX_LOCAL_PROCESS_ID JAX_NIGHTLY JAX_NUM_GENERATED_CASES JAX_NUM_PROCESSES JAX_PARTITION_INDEX
    JAX_PROCESS_COUNT JAX_PROCESS_ID JAX_PROCESS_INDEX JAX_RELEASE JAX_SKIP_CUDA_CONSTRAINTS_CHECK
    JAX_SKIP_SLOW_TESTS JAX_SLICE_INDEX JAX_TEST_NUM_THREADS JAX_TEST_TARGETS
    LIBTPU_INIT_ARGS TPU_LIBRARY_PATH
    XLA_FLAGS XLA_CLIENT_MEM_FRACTION XLA_PYTHON_CLIENT_ALLOCATOR XLA_PYTHON_CLIENT_MEM_FRACTION
    XLA_PYTHON_CLIENT_PREALLOCATE
"""
VARIABLES = frozenset(name.upper() for name in (*OPTIONS, *GONE)) | frozenset(_OTHERS.split())
FAMILIES = ("JAX_", "XLA_", "LIBTPU_")

# Options that are read when the backend starts, and what becomes of them afterwards.
READ_AT_START = {
    "jax_num_cpu_devices": "raises RuntimeError",
    "jax_platforms": "does nothing",
    "jax_cpu_collectives_implementation": "does nothing",
}
INITIALIZE = "jax.distributed.initialize"
# Asks whether that was done: who asks may come later.
IS_INITIALIZED = "is_initialized"
