"""Context managers of JAX and Flax that change nothing before `with` enters them.

Each was called as a statement under jax 0.10.2, 0.11.2 and 0.12.0, and no setting was different
afterwards. `jax.set_mesh` and `flax.nnx.use_eager_sharding` are none: a call alone sets them.
"""

from __future__ import annotations

LIBRARIES: set[str] = set()

_GUARDS = ("", "_host_to_device", "_device_to_host", "_device_to_device")
_OF_JAX = (
    "default_device", "disable_jit", "debug_nans", "debug_infs", "debug_key_reuse",
    "checking_leaks", "check_tracer_leaks", "default_matmul_precision", "enable_x64",
    "named_scope", "default_prng_impl", "numpy_dtype_promotion", "numpy_rank_promotion",
    "log_compiles", "enable_checks", "enable_custom_prng", "threefry_partitionable",
    "legacy_prng_key", "explain_cache_misses", "no_execution", "no_tracing",
    "ensure_compile_time_eval",
)  # fmt: skip
# The option of `jax.config.update` that sets the same for the rest of the program.
OPTIONS = {
    "jax.default_device": "jax_default_device",
    "jax.disable_jit": "jax_disable_jit",
    "jax.debug_nans": "jax_debug_nans",
    "jax.debug_infs": "jax_debug_infs",
    "jax.debug_key_reuse": "jax_debug_key_reuse",
    "jax.checking_leaks": "jax_check_tracer_leaks",
    "jax.check_tracer_leaks": "jax_check_tracer_leaks",
    "jax.default_matmul_precision": "jax_default_matmul_precision",
    "jax.enable_x64": "jax_enable_x64",
    "jax.default_prng_impl": "jax_default_prng_impl",
    "jax.numpy_dtype_promotion": "jax_numpy_dtype_promotion",
    "jax.numpy_rank_promotion": "jax_numpy_rank_promotion",
    "jax.log_compiles": "jax_log_compiles",
    "jax.enable_checks": "jax_enable_checks",
    "jax.threefry_partitionable": "jax_threefry_partitionable",
    "jax.explain_cache_misses": "jax_explain_cache_misses",
    **{f"jax.transfer_guard{way}": f"jax_transfer_guard{way}" for way in _GUARDS},
}
CONTEXTS = frozenset(
    {
        *(f"jax.{name}" for name in _OF_JAX),
        *OPTIONS,
        "jax.numpy.printoptions",
        "jax.profiler.trace",
        "jax.profiler.TraceAnnotation",
        "jax.profiler.StepTraceAnnotation",
        "jax.sharding.use_abstract_mesh",
        "jax.experimental.xla_metadata.set_xla_metadata",
        "flax.linen.logical_axis_rules",
        "flax.linen.partitioning.axis_rules",
        "flax.linen.intercept_methods",
        "flax.nnx.logical_axis_rules",
    }
)
