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

if jax.default_backend() == "cpu":
    os.environ.update(XLA_FLAGS="--xla_dump_to=here")  # ! environment-set-too-late
os.environ.update({"JAX_PLATFORMS": "cpu", "HOME": "."})  # ! environment-set-too-late
os.environ.update({"TF_CPP_MIN_LOG_LEVEL": "3"}, WANDB_MODE="offline")


def main():
    count = jax.device_count()
    os.environ["XLA_FLAGS"] = "--xla_dump_to=here"  # ! environment-set-too-late
    os.environ["JAX_PLATFORMS"] = "cpu"  # ! environment-set-too-late
    os.environ["WANDB_MODE"] = "offline"
    return count


def branches(fast):
    if fast:
        return jax.devices()
    os.environ["XLA_FLAGS"] = "--xla_dump_to=here"
    return jax.devices()


def in_the_other_branch(count):
    if count is None:
        count = jax.device_count()
    else:
        os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={count}"
    return count


def re_executes():
    if jax.device_count() < 2:
        os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
        os.execv("python", ["python", "main.py"])


def before():
    os.environ["XLA_FLAGS"] = "--xla_dump_to=here"
    return jax.devices()


def choose_platform():
    os.environ["JAX_PLATFORMS"] = "cpu"  # ! environment-set-too-late
    os.environ.setdefault("JAX_TRANSFER_GUARD", "log")  # ! environment-set-too-late


def choose_for_children():
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.spawnv(os.P_WAIT, "python", ["python", "main.py"])


def choose_both_ways():
    os.environ["JAX_DEBUG_NANS"] = "1"
    jax.config.update("jax_debug_nans", True)


choose_platform()
choose_for_children()

if __name__ == "__main__":
    choose_both_ways()
