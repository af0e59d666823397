import os
from os import environ

import jax

OLD = "--xla_gpu_graph_level=0"
NEW = "--xla_gpu_autotune_level=2"


def gone():
    os.environ["XLA_FLAGS"] = "--xla_gpu_enable_triton_softmax_fusion=true"  # ! xla-flag-unknown


def there():
    os.environ["XLA_FLAGS"] = "--xla_gpu_triton_gemm_any=true --xla_dump_to=dump"


def one_of_many():
    environ["XLA_FLAGS"] = (  # ! xla-flag-unknown
        "--xla_gpu_triton_gemm_any=True "
        "--xla_gpu_enable_async_collectives=true "
        "--xla_gpu_enable_latency_hiding_scheduler=true"
    )


def all_there():
    environ["XLA_FLAGS"] = (
        "--xla_gpu_triton_gemm_any=True "
        "--xla_gpu_enable_latency_hiding_scheduler=true "
        "--xla_gpu_enable_highest_priority_async_stream=true"
    )


def misspelt():
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_devices_count=8"  # ! xla-flag-unknown


def of_a_later_release():
    os.environ["XLA_FLAGS"] = "--xla_gpu_fold_everything_twice=true"


def of_another_compiler():
    os.environ["XLA_FLAGS"] = "--xla_tpu_spmd_rng_bit_generator_unsafe=1"


def lost_space():
    os.environ["XLA_FLAGS"] = (  # ! xla-flag-unknown
        "--xla_gpu_triton_gemm_any=True--xla_gpu_autotune_level=2"
    )


def added(flag):
    os.environ["XLA_FLAGS"] += " --xla_dump_to=dump"
    os.environ["XLA_FLAGS"] += f" --xla_force_host_platform_device_count={flag}"


def added_without_space():
    os.environ["XLA_FLAGS"] += "--xla_dump_to=dump"  # ! xla-flag-unknown


def behind_what_was_there():
    old = os.getenv("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = f"{old}--xla_gpu_deterministic_ops=true"  # ! xla-flag-unknown


def behind_with_space():
    old = os.getenv("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = f"{old} --xla_gpu_deterministic_ops=true"
    os.environ["XLA_FLAGS"] = "--xla_gpu_deterministic_ops=true " + old


def without_dashes():
    os.environ["XLA_FLAGS"] = "xla_gpu_deterministic_ops=true"  # ! xla-flag-unknown


def a_file():
    os.environ["XLA_FLAGS"] = "/etc/xla_flags"


def by_default():
    os.environ.setdefault("XLA_FLAGS", "--xla_gpu_graph_level=0")  # ! xla-flag-unknown


def by_update():
    os.environ.update({"XLA_FLAGS": "--xla_gpu_graph_level=0"})  # ! xla-flag-unknown


def joined(extra):
    flags = ["--xla_gpu_autotune_level=0", "--xla_gpu_graph_level=0"]
    os.environ["XLA_FLAGS"] = " ".join(flags)  # ! xla-flag-unknown


def joined_right(extra):
    os.environ["XLA_FLAGS"] = " ".join(["--xla_gpu_autotune_level=0", *extra])
    os.environ["XLA_FLAGS"] = " ".join(extra)


def by_name():
    flags = "--xla_gpu_simplify_all_fp_conversions=true"
    os.environ["XLA_FLAGS"] = flags  # ! xla-flag-unknown


def computed(name, value):
    os.environ["XLA_FLAGS"] = f"--{name}={value}"
    os.environ["XLA_FLAGS"] = f"--xla_gpu_{name}={value}"
    os.environ["XLA_FLAGS"] = "--xla_gpu_" + name


def asked():
    if jax.__version_info__ < (0, 5):
        os.environ["XLA_FLAGS"] = "--xla_gpu_graph_level=0"


def of_another_variable():
    os.environ["LIBTPU_INIT_ARGS"] = "--xla_gpu_graph_level=0"


def in_a_value():
    os.environ["XLA_FLAGS"] = "--xla_dump_hlo_pass_re=.*"


def removed():
    os.environ["XLA_FLAGS"] = ""


def behind_an_argument(flags):
    os.environ["XLA_FLAGS"] = flags + "--xla_gpu_deterministic_ops=true"


def behind_one_with_space():
    old = os.getenv("XLA_FLAGS", "") + " "
    os.environ["XLA_FLAGS"] = f"{old}--xla_gpu_deterministic_ops=true"
