"""The flags that XLA knows, and those that it knew, by their names after `xla_`.

Each was given to the CPU's jaxlib of 0.10.2, 0.11.2 and 0.12.0.1, and to the last release of each
minor version since 0.4.30: one that it does not know ends the process.
"""

from __future__ import annotations

LIBRARIES: set[str] = set()

_ONCE = {
    # Before 0.4.30, the oldest that was tried.
    (0, 4): """
        gpu_all_reduce_contiguous gpu_asm_extra_flags gpu_bef_executable
        gpu_deterministic_reductions gpu_disable_multi_streaming gpu_enable_async_all_gather
        gpu_enable_async_all_reduce gpu_enable_async_all_to_all
        gpu_enable_async_collective_broadcast gpu_enable_async_collective_permute
        gpu_enable_async_collectives gpu_enable_async_reduce_scatter gpu_enable_cuda_graphs
        gpu_enable_persistent_temp_buffers gpu_enable_xla_runtime_executable
        gpu_graph_eviction_timeout_seconds gpu_graph_num_runs_to_instantiate
        gpu_lhs_enable_gpu_async_tracker gpu_max_kernel_unroll_factor gpu_normalize_layouts
        gpu_simplify_all_fp_conversions gpu_single_wave_autotuning gpu_use_cudnn_batchnorm
        gpu_use_random_streams
    """,
    (0, 5): """
        cpu_enable_custom_matmul_tiling cpu_enable_experimental_deallocation
        cpu_enable_mlir_fusion_outlining cpu_enable_mlir_tiling_and_fusion cpu_matmul_tiling_k_dim
        cpu_matmul_tiling_m_dim cpu_matmul_tiling_n_dim gpu_enable_bf16_3way_gemm
        gpu_enable_bf16_6way_gemm gpu_enable_cudnn_frontend gpu_enable_dot_strength_reduction
        gpu_enable_triton_softmax_fusion gpu_enable_triton_softmax_priority_fusion
        gpu_max_mlir_kernels gpu_mlir_emitter_level gpu_skip_mlir_kernels use_shardonnay
    """,
    (0, 6): """
        allow_get_default_platform cpu_use_mkl_dnn gpu_enable_nccl_per_stream_comms
        gpu_enable_pipelined_collectives gpu_enable_priority_fusion
        gpu_ensure_minor_dot_contraction_dims gpu_triton_gemm_disable_reduced_precision_reduction
        gpu_unsafe_pipelined_loop_annotator
    """,
    (0, 7): """
        gpu_dump_hlo_unoptimized_snapshots gpu_enable_custom_fusions
        gpu_experimental_enable_dynamic_dot_search_space
        gpu_experimental_enable_sync_collective_combining gpu_graph_level
        gpu_unsupported_enable_generic_triton_emitter_for_gemms
    """,
    (0, 8): """
        gpu_enable_custom_fusions_re gpu_enable_triton_hopper
        gpu_experimental_enable_command_buffer_on_thunks gpu_experimental_enable_triton_tma
        gpu_redzone_scratch_max_megabytes gpu_unsupported_annotate_with_emitter_loc
        gpu_unsupported_generic_triton_emitter_features
    """,
    (0, 9): """
        gpu_collectives_use_persistent_cliques gpu_experimental_allow_unroll_factor_eight
        gpu_experimental_use_autotuner_pass
    """,
    (0, 10): """
        gpu_enable_reduction_epilogue_fusion gpu_enable_shared_constants
        gpu_enable_split_k_autotuning gpu_experimental_enable_split_k_rewrite ignore_channel_id
    """,
    (0, 11): """
        cpu_use_fusion_emitters gpu_enable_llvm_module_compilation_parallelism
        gpu_experimental_aot_compiled_thunks gpu_experimental_autotuner_cache_dir
        gpu_experimental_enable_nvshmem gpu_experimental_ragged_all_to_all_use_barrier
        gpu_experimental_ragged_all_to_all_zero_copy gpu_experimental_use_raft_select_k
        gpu_fused_attention_use_cudnn_rng gpu_use_embeded_device_lib gpu_use_inprocess_lld
        llvm_force_inline_before_split
    """,
}
_NOW = """
    allow_excess_precision allow_h2h_copy_when_automatic_host_compute_offload_disabled
    autotuner_preferred_backend backend_extra_options backend_optimization_level
    candidate_configs_file cmd_buffer_trace_cache_size compile_all_supported_configs
    cpu_collective_call_terminate_timeout_seconds cpu_collective_call_warn_stuck_timeout_seconds
    cpu_collective_timeout_seconds cpu_copy_insertion_use_region_analysis
    cpu_emitter_verification_level cpu_enable_concurrency_optimized_scheduler cpu_enable_fast_math
    cpu_enable_fast_min_max cpu_enable_platform_dependent_math cpu_enable_xprof_traceme
    cpu_experimental_enable_tiling_propagation cpu_experimental_onednn_custom_call
    cpu_experimental_onednn_fusion_type cpu_experimental_xnn_fusion_type
    cpu_experimental_xnn_graph_fusion_mode cpu_experimental_ynn_fusion_type
    cpu_fast_math_honor_division cpu_fast_math_honor_functions cpu_fast_math_honor_infs
    cpu_fast_math_honor_nans cpu_ftz cpu_max_isa cpu_mock_custom_calls cpu_multi_thread_eigen
    cpu_opt_preset cpu_parallel_codegen_split_count cpu_prefer_vector_width cpu_scheduler_type
    cpu_strict_dot_conv_math cpu_use_acl cpu_use_new_xtile_lowering cpu_use_onednn
    cpu_use_thunk_runtime cpu_use_xnnpack debug_buffer_assignment_show_max
    deduplicate_backend_configs_min_size detect_unstable_reductions
    detect_unstable_reductions_post_optimizations disable_all_hlo_passes
    disable_automatic_host_compute_offload disable_hlo_passes dump_buffer_assignment_analysis
    dump_compact_gte dump_compress_protos dump_disable_metadata dump_emitter_re
    dump_enable_mlir_pretty_form dump_full_hlo_config dump_fusion_visualization dump_hlo_as_dot
    dump_hlo_as_html dump_hlo_as_long_text dump_hlo_as_proto dump_hlo_as_riegeli dump_hlo_as_text
    dump_hlo_as_url dump_hlo_module_re dump_hlo_pass_re dump_hlo_pipeline_re dump_hlo_snapshots
    dump_hlo_to_subfolder dump_hlo_unoptimized_snapshots dump_include_timestamp dump_large_constants
    dump_latency_hiding_schedule dump_max_hlo_modules dump_module_metadata dump_to
    early_exit_with_layouts eliminate_hlo_implicit_broadcast embed_ir_in_executable
    enable_command_buffers_during_profiling enable_enzyme_comms_opt enable_fast_math
    enable_hlo_passes_only enable_hlo_sharding_v3 enable_nccl_symmetric_buffers_for_collectives
    enable_rgv3_materialization enable_scoped_logging_timers flags_reset force_config
    force_host_platform_device_count fuel gpu_algorithm_denylist_path
    gpu_all_gather_combine_threshold_bytes gpu_all_gather_mode
    gpu_all_reduce_blueconnect_num_devices_per_host gpu_all_reduce_combine_threshold_bytes
    gpu_all_reduce_splitter_ignore_profitability_check
    gpu_allow_ragged_all_to_all_nccl_send_recv_fallback gpu_analytical_latency_estimator_options
    gpu_async_copy_min_bytes gpu_async_dot gpu_auto_spmd_partitioning_memory_budget_gb
    gpu_auto_spmd_partitioning_memory_budget_ratio gpu_autotune_gemm_rtol gpu_autotune_level
    gpu_autotune_max_solutions gpu_blas_max_algorithms gpu_collect_cost_model_stats
    gpu_collective_combine_threshold_count gpu_collective_domain_assignment
    gpu_collective_inflation_factor gpu_collective_permute_combine_threshold_bytes
    gpu_collective_permute_connected_components gpu_collective_permute_decomposer_threshold
    gpu_collective_permute_mode gpu_collectives_implementation gpu_command_buffer_scheduling_mode
    gpu_command_buffer_unroll_loops gpu_command_buffer_update_mode
    gpu_copy_insertion_use_region_analysis gpu_crash_on_verification_failures gpu_cublas_fallback
    gpu_cuda_data_dir gpu_cudnn_deviceless_compilation_mode gpu_cudnn_gemm_fusion_level
    gpu_cudnn_gemm_max_plans gpu_default_to_alg_dot_bf16_bf16_f32 gpu_detect_inf gpu_detect_nan
    gpu_deterministic_ops gpu_device_execution_terminate_timeout gpu_deviceless_cub_mode
    gpu_disable_async_collectives gpu_disable_gpuasm_optimizations gpu_dot_merger_threshold_mb
    gpu_dump_autotune_logs_to gpu_dump_autotune_results_to gpu_dump_autotuned_gemm_fusions
    gpu_dump_autotuned_instructions gpu_dump_cost_model_top_k_candidates_to gpu_dump_llvmir
    gpu_enable_all_gather_combine_by_dim gpu_enable_allocator_spatial_partitioning
    gpu_enable_analytical_latency_estimator gpu_enable_analytical_sol_latency_estimator
    gpu_enable_approx_costly_collectives gpu_enable_collectives_command_buffer_filter
    gpu_enable_command_buffer gpu_enable_cub_radix_sort gpu_enable_cublaslt gpu_enable_cudnn_fmha
    gpu_enable_cudnn_int8x32_convolution_reordering gpu_enable_cudnn_layer_norm
    gpu_enable_cupti_multi_subscriber gpu_enable_dus_accumulator_zero_init_elimination
    gpu_enable_dynamic_slice_fusion gpu_enable_fast_min_max gpu_enable_gxl_ragged_all_to_all
    gpu_enable_highest_priority_async_stream gpu_enable_host_memory_offloading
    gpu_enable_latency_hiding_scheduler gpu_enable_libnvjitlink gpu_enable_libnvptxcompiler
    gpu_enable_nccl_clique_optimization gpu_enable_nccl_comm_splitting gpu_enable_nccl_user_buffers
    gpu_enable_nccl_user_buffers_in_default_space gpu_enable_pdl gpu_enable_pdl_launch
    gpu_enable_persistent_symmetric_memory gpu_enable_pipelined_all_gather
    gpu_enable_pipelined_all_reduce gpu_enable_pipelined_host_offloading gpu_enable_pipelined_p2p
    gpu_enable_pipelined_reduce_scatter gpu_enable_reassociation_for_converted_ar
    gpu_enable_reduce_scatter_combine_by_dim gpu_enable_scatter_determinism_expander
    gpu_enable_triton_gemm gpu_enable_triton_gemm_int4 gpu_enable_while_loop_double_buffering
    gpu_enable_while_loop_reduce_scatter_code_motion gpu_enable_while_loop_unrolling
    gpu_exclude_nondeterministic_ops gpu_executable_embed_debug_info
    gpu_executable_num_communication_streams gpu_executable_num_compute_streams
    gpu_executable_terminate_timeout gpu_executable_warn_stuck_timeout
    gpu_execution_progress_tracking gpu_execution_terminate_timeout gpu_exhaustive_tiling_search
    gpu_experimental_all_fusions_with_triton gpu_experimental_autotune_backends
    gpu_experimental_autotune_cache_mode gpu_experimental_collective_cse_distance_threshold
    gpu_experimental_collective_perf_table_path
    gpu_experimental_collective_start_as_early_as_possible
    gpu_experimental_cost_model_gemm_tiling_default gpu_experimental_cost_model_gemm_tiling_options
    gpu_experimental_deterministic_ops_triton gpu_experimental_disable_binary_libraries
    gpu_experimental_dump_fdo_profiles gpu_experimental_dump_gpu_executable
    gpu_experimental_dynamic_slice_fusion_verify_offsets gpu_experimental_early_exit
    gpu_experimental_emit_collective_reduce gpu_experimental_enable_alltoall_windowed_einsum
    gpu_experimental_enable_buffer_saver_on_thunks
    gpu_experimental_enable_checksum_tracing_on_thunks
    gpu_experimental_enable_collective_multi_streaming gpu_experimental_enable_conv_fusion
    gpu_experimental_enable_dynamic_slice_extended_offsets
    gpu_experimental_enable_dynamic_slice_table_offsets gpu_experimental_enable_fusion_autotuner
    gpu_experimental_enable_fusion_block_level_rewriter
    gpu_experimental_enable_heuristic_collective_combining
    gpu_experimental_enable_nccl_symmetric_buffers gpu_experimental_enable_raft_for_stable_topk
    gpu_experimental_enable_same_shape_multi_output_fusion
    gpu_experimental_enable_selective_memcpy_overlap
    gpu_experimental_enable_subchannel_dequantisation_fusion gpu_experimental_enable_tensor_ir
    gpu_experimental_enable_tiling_propagation
    gpu_experimental_enable_triton_heroless_priority_fusion
    gpu_experimental_enable_triton_warp_specialization gpu_experimental_force_split_k
    gpu_experimental_gemm_fusion_v2 gpu_experimental_matmul_perf_table_path
    gpu_experimental_max_unroll_factor gpu_experimental_pack_dot_operands_along_k_dimension
    gpu_experimental_parallel_async_compute_limit gpu_experimental_parallel_collective_overlap_limit
    gpu_experimental_parallel_scale_up_collective_overlap_limit
    gpu_experimental_pipeline_parallelism_opt_level
    gpu_experimental_ragged_all_to_all_use_barrier_with_nccl
    gpu_experimental_ragged_all_to_all_use_device_kernel gpu_experimental_scaled_dot_with_triton
    gpu_experimental_scheduler_memory_fencing_slack_windows
    gpu_experimental_scheduler_memory_fencing_threshold_bytes gpu_experimental_stream_annotation
    gpu_experimental_thunk_buffer_debug_filter_by_profile_annotation_re
    gpu_experimental_thunk_buffer_debug_filter_by_thunk_id_ranges
    gpu_experimental_thunk_buffer_debug_module_outputs gpu_experimental_use_collective_kernels
    gpu_experimental_use_ragged_dot_fusion gpu_experimental_use_ragged_dot_grouped_gemm
    gpu_experimental_vmm_disabled gpu_fail_ptx_compilation_on_register_spilling
    gpu_filter_kernels_spilling_registers_on_autotuning
    gpu_first_collective_call_terminate_timeout_seconds
    gpu_first_collective_call_warn_stuck_timeout_seconds gpu_force_compilation_parallelism
    gpu_force_conv_nchw gpu_force_conv_nhwc gpu_ftz gpu_fusion_autotune_top_k_configs
    gpu_gemm_autotuner_override_file gpu_gemm_rewrite_size_threshold gpu_generate_debug_info
    gpu_generate_line_info gpu_graph_enable_concurrent_region gpu_graph_min_graph_size
    gpu_gxl_scratch_size_bytes gpu_hlo_custom_call_allowlist gpu_kernel_cache_file gpu_llvm_ir_file
    gpu_llvm_verification_level gpu_load_autotune_results_from gpu_log_minmax
    gpu_memory_limit_slop_factor gpu_mock_custom_calls gpu_multi_streamed_windowed_einsum
    gpu_native_emitter_tune_unroll_factor_for_loops gpu_nccl_async_execution
    gpu_nccl_blocking_communicators gpu_nccl_collective_max_nchannels
    gpu_nccl_init_max_rank_per_root_ratio gpu_nccl_p2p_max_nchannels gpu_nccl_terminate_on_error
    gpu_nccl_termination_timeout_seconds gpu_operand_bytes_threshold_for_windowed_einsum
    gpu_override_gemm_autotuner gpu_per_fusion_autotune_cache_dir gpu_pgle_accuracy_checker
    gpu_pgle_profile_file_or_directory_path gpu_pipeline_all_gather gpu_pipeline_all_reduce
    gpu_pipeline_reduce_scatter gpu_print_compilation_stats gpu_ptx_compiler_extra_flags
    gpu_ptx_file gpu_ragged_all_to_all_mode gpu_reduce_scatter_combine_threshold_bytes
    gpu_redzone_padding_bytes gpu_require_complete_aot_autotune_results gpu_require_exclusive_lock
    gpu_rocm_max_trace_events gpu_shape_checks gpu_shard_autotuning gpu_strict_conv_algorithm_picker
    gpu_target_config_filename gpu_temp_buffer_use_separate_color
    gpu_threshold_for_windowed_einsum_mib gpu_topology_filename gpu_trace_annotation_level
    gpu_triton_gemm_any gpu_unsafe_fallback_to_driver_on_ptxas_not_found
    gpu_unsupported_enable_all_reduce_decomposer gpu_unsupported_enable_ragged_all_to_all_decomposer
    gpu_unsupported_enable_ragged_all_to_all_multi_host_decomposer
    gpu_unsupported_enable_triton_multi_output_fusion
    gpu_unsupported_override_fast_interconnect_slice_size
    gpu_unsupported_use_all_reduce_one_shot_kernel gpu_unsupported_use_cross_host_one_shot_kernel
    gpu_unsupported_use_ragged_all_to_all_one_shot_kernel gpu_use_memcpy_local_p2p
    gpu_use_new_autotune_cache_format gpu_use_runtime_fusion gpu_verify_triton_fusion_numerics
    hlo_evaluator_use_fast_path hlo_graph_addresses hlo_graph_sharding_color
    hlo_pass_fix_detect_cycles hlo_print_inline_stack_frames hlo_profile keep_shardings_after_spmd
    llvm_disable_expensive_passes llvm_enable_alias_scope_metadata
    llvm_enable_invariant_load_metadata llvm_enable_noalias_metadata
    multiheap_size_constraint_per_heap partitioning_algorithm pjrt_allow_auto_layout_in_hlo
    recognize_reduction_optimization_level reduce_window_rewrite_base_length
    run_hlo_passes_starting_from sdy_export_all_reduce_scatter
    spmd_enable_dynamic_slice_collective_broadcast step_marker_location syntax_sugar_async_ops
    test_add_command_buffer_mode test_all_input_layouts test_all_output_layouts tpu_detect_inf
    tpu_detect_nan unsupported_crash_on_hlo_pass_fix_max_iterations
    unsupported_crash_on_hlo_pass_noop_change unsupported_crash_on_hlo_pass_silent_hlo_change
    while_loop_all_reduce_dus_code_motion_max_size_bytes
"""

# The first minor release without it.
GONE = {f"xla_{name}": since for since, names in _ONCE.items() for name in names.split()}
FLAGS = frozenset(f"xla_{name}" for name in _NOW.split())
