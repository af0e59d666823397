import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import flax
import jax
import jax.numpy as jnp

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
os.environ["JAX_PLATFORMS"] = "cpu"  # ! environment-set-too-late
os.environ.setdefault("JAX_DEBUG_NANS", "1")  # ! environment-set-too-late
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
jax.config.update("jax_enable_x64", True)


@jax.jit
def double(x):
    return 2 * x


if flax.__version__:
    ones = jnp.ones(3)

zeros = jnp.zeros(3)
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"  # ! environment-set-too-late


def for_children():
    os.environ["JAX_PLATFORMS"] = "cpu"


def read():
    return os.environ["JAX_PLATFORMS"]


with open("flags") as file:
    os.environ["XLA_FLAGS"] = file.read()  # ! environment-set-too-late

if __name__ == "__main__":
    os.environ["JAX_LOG_COMPILES"] = "1"  # ! environment-set-too-late

os.environ.setdefault("LIBTPU_INIT_ARGS", "")
os.environ.setdefault("XLA_FLAGS", "--xla_dump_to=here")  # ! environment-set-too-late
