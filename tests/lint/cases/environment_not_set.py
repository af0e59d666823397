import os

JAX_TRACEBACK_FILTERING = "off"  # ! environment-not-set
with open("memory.txt") as file:
    XLA_PYTHON_CLIENT_MEM_FRACTION = 0.2  # ! environment-not-set
XLA_FLAGS = "--xla_gpu_enable_triton_gemm=false"
JAX_PLATFORMS = "cpu"
XLA_PYTHON_CLIENT_ALLOCATOR = os.environ.get("XLA_PYTHON_CLIENT_ALLOCATOR", "default")
JAX_COMPILATION_CACHE_DIR = "/tmp/cache"
JAX_RUNS = 3

os.environ["XLA_FLAGS"] = XLA_FLAGS
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ.update(JAX_COMPILATION_CACHE_DIR=JAX_COMPILATION_CACHE_DIR)

import jax

x = jax.numpy.ones(3)


def local():
    XLA_PYTHON_CLIENT_PREALLOCATE = "false"
    return XLA_PYTHON_CLIENT_PREALLOCATE
