"""One of several hosts: INDEX COUNT PORT SCENARIO."""

import os
import signal
import sys
import time

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec

index, count, port, scenario = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
jax.distributed.initialize(f"127.0.0.1:{port}", count, index)
mesh = Mesh(jax.devices(), ("data",))
rows = NamedSharding(mesh, PartitionSpec("data"))
everywhere = NamedSharding(mesh, PartitionSpec())
last = index == count - 1


@jax.jit
def step(w, x):
    return w - 0.1 * (x @ w).sum() * w


@jax.jit
def evaluate(w, x):
    return (x @ w).max()


@jax.jit
def noise(x, key):
    return x + jax.random.normal(key, x.shape)


def batch():
    local = jnp.ones((2, 4)) * (index + 1)
    return jax.make_array_from_process_local_data(rows, local)


w = jax.device_put(jnp.ones(4), everywhere)
x = batch()
for turn in range(4):
    w = step(w, x)
    print("turn", turn, float(w.addressable_data(0)[0]), flush=True)
key = jax.random.key(7 + (index if scenario == "seeds" else 0))
jax.block_until_ready(noise(x, key))
jax.jit(lambda x: x * 2)(jnp.ones(index + 1))  # a host's own: it is not compared
if scenario == "compile" and last:
    step(w, x.astype(jnp.bfloat16))
if scenario == "dead" and last:
    time.sleep(2.0)
    os.kill(os.getpid(), signal.SIGSTOP)  # its connections stay open
if scenario == "skipped" and last:
    while True:
        time.sleep(0.1)  # the line where it is
if scenario in ("skipped", "dead", "compile"):
    print(float(evaluate(w, x)))
if scenario in ("seeds", "compile"):
    time.sleep(600)
