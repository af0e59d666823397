"""When settings are read: JAX's own at its import, those of XLA when the backend starts."""

from __future__ import annotations

LIBRARIES: set[str] = set()

# Environment variables that jax reads once, while it is imported.
READ_AT_IMPORT = frozenset(
    f"JAX_{name}"
    for name in [
        "ENABLE_X64",
        "PLATFORMS",
        "PLATFORM_NAME",
        "DEBUG_NANS",
        "DEBUG_INFS",
        "DISABLE_JIT",
        "LOG_COMPILES",
        "COMPILATION_CACHE_DIR",
        "ENABLE_COMPILATION_CACHE",
        "PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS",
        "PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES",
        "DEFAULT_MATMUL_PRECISION",
        "DEFAULT_DTYPE_BITS",
        "DEFAULT_PRNG_IMPL",
        "THREEFRY_PARTITIONABLE",
        "ENABLE_CUSTOM_PRNG",
        "TRACEBACK_FILTERING",
        "NUM_CPU_DEVICES",
        "NUMPY_RANK_PROMOTION",
        "NUMPY_DTYPE_PROMOTION",
        "TRANSFER_GUARD",
        "CHECK_TRACER_LEAKS",
        "DEBUG_KEY_REUSE",
        "EXPLAIN_CACHE_MISSES",
        "CPU_COLLECTIVES_IMPLEMENTATION",
        "CUDA_VISIBLE_DEVICES",
        "ROCM_VISIBLE_DEVICES",
        "USE_SHARDY_PARTITIONER",
        "LEGACY_PRNG_KEY",
        "CAPTURED_CONSTANTS_WARN_BYTES",
        "CPU_ENABLE_ASYNC_DISPATCH",
        "DUMP_IR_TO",
        "ENABLE_PGLE",
    ]
)
# Variables that are read when the backend starts: before the first array, or question for devices.
READ_AT_START = ("XLA_FLAGS", "XLA_PYTHON_CLIENT_", "LIBTPU_INIT_ARGS")

# Libraries whose import imports jax.
IMPORT_JAX = frozenset(
    [
        "jax",
        "flax",
        "optax",
        "equinox",
        "haiku",
        "chex",
        "orbax",
        "distrax",
        "brax",
        "numpyro",
        "diffrax",
        "jaxopt",
        "rlax",
    ]
)

STARTS_BACKEND = frozenset(
    f"jax.{name}"
    for name in [
        "devices",
        "local_devices",
        "device_count",
        "local_device_count",
        "default_backend",
        "process_index",
        "process_count",
        "device_put",
        "make_mesh",
        "live_arrays",
        "random.key",
        "random.PRNGKey",
        "random.split",
    ]
) | {"flax.nnx.Rngs"}

# Modules whose users start other processes, which read their environment again; and calls that do.
STARTS_PROCESSES = frozenset(
    ["subprocess", "multiprocessing", "multiprocess", "concurrent", "ray", "submitit", "joblib"]
)
SPAWNS = ("os.exec", "os.spawn", "os.posix_spawn", "os.system", "os.popen", "os.fork")
