import os
from os import environ

import jax
import pytest
from jax import config


def misspelt():
    jax.config.update("jax_debug_nan", True)  # ! unknown-config-option


def spelt_right():
    jax.config.update("jax_debug_nans", True)
    config.update("jax_numpy_rank_promotion", "raise")


def from_import():
    config.update("jax_platfrom_name", "cpu")  # ! unknown-config-option


def of_another_library(flax):
    flax.config.update("flax_use_orbax_checkpointing", True)
    own = {"jax_enable_x46": 1}
    own.update(jax_enable_x46=2)


def without_prefix():
    jax.config.update("enable_x64", True)  # ! unknown-config-option


def resembles_nothing():
    jax.config.update("jax_of_the_next_release", True)


def long_gone():
    jax.config.update("jax_array", True)  # ! unknown-config-option
    jax.config.update("jax_spmd_mode", "allow_all")  # ! unknown-config-option


def read_long_gone():
    return jax.config.jax_array  # ! unknown-config-option


def read_misspelt():
    return config.jax_enable_x46  # ! unknown-config-option


def read_right():
    return jax.config.jax_enable_x64, jax.config.jax_of_the_next_release


def replaced_in_the_module():
    jax.default_matmul_precision = "highest"  # ! unknown-config-option
    jax.config = config


def gone_later():
    jax.config.update("jax_refs_to_pins", True)


def tried():
    try:
        jax.config.update("jax_array", True)
    except AttributeError:
        print("too new")


def asked():
    if hasattr(jax.config, "jax_array"):
        jax.config.update("jax_array", True)
    if jax.__version_info__ < (0, 4, 30):
        jax.config.update("jax_parallel_functions_output_gda", True)


def asked_for_the_option():
    if "jax_array" in jax.config.values:
        jax.config.update("jax_array", True)


def expected():
    with pytest.raises(AttributeError):
        jax.config.update(name(), True)


def name():
    return "jax_enable_x46"


def assigned():
    jax.config.jax_enable_x64 = True  # ! unknown-config-option


def assigned_and_misspelt():
    config.jax_enable_x46 = True  # ! unknown-config-option


def assigned_elsewhere(settings):
    settings.jax_enable_x64 = True
    jax.config.my_own = 3


def variable():
    os.environ["JAX_PLATFORM"] = "cpu"  # ! unknown-config-option
    environ["XLA_FLAG"] = "--xla_gpu_deterministic_ops=true"  # ! unknown-config-option


def right_variable():
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_PYTHON_CLIENT_MEM_FRACTION"] = ".8"


def by_update():
    os.environ.update(XLA_PYTHON_CLIENT_PREALOCATE="false")  # ! unknown-config-option
    os.environ.update({"JAX_LOG_COMPILE": "1"})  # ! unknown-config-option


def by_default():
    os.environ.setdefault("JAX_TRACEBACK_FILTER", "off")  # ! unknown-config-option


def of_the_project():
    os.environ["JAX_RANDOM_WEIGHTS"] = "1"
    os.environ["JAX_COORDINATOR_IP"] = "10.0.0.1"
    os.environ["JAX_CACHE_FOLDER"] = "/tmp"
    os.environ["MY_JAX_ENABLE_X46"] = "1"


def read_here():
    os.environ["JAX_ENABLE_CHECK"] = "1"
    return os.environ.get("JAX_ENABLE_CHECK")


def another_number():
    os.environ["JAX_ENABLE_X32"] = "1"


def only_read():
    return os.environ.get("JAX_ENABLE_X46")
