"""Arrays baked into a program, values that it holds since its trace, calls that cost too much."""

import time

import jax
import jax.numpy as jnp

x = jnp.ones((64, 64))
TABLES = {"train": {"embedding": jnp.ones((4096, 64))}}
SCALE = 2.0


def captured_constant():
    @jax.jit  # ! large-constant-captured/ captured_constant.by_table
    def by_table(batch):
        return batch @ TABLES["train"]["embedding"].T

    by_table(x)


def stale_value():
    global SCALE, by_global  # who looks only at the end finds what is still there

    @jax.jit  # ! stale-capture/global by_global before 3.12
    def by_global(batch):
        return batch * SCALE

    by_global(x)
    SCALE = 3.0
    end = time.monotonic() + 0.5  # calls are looked at a few times a second
    while time.monotonic() < end:
        by_global(x)  # ! stale-capture/global by_global since 3.12


@jax.jit
def by_print(batch):
    jax.debug.callback(lambda total: None, batch.sum(), ordered=True)
    return batch * 2


def slow_path():
    end = time.process_time() + 3  # of its own: looks are rare where other programs run beside
    while time.process_time() < end:
        by_print(x)  # ! slow-path-call/ by_print since 3.12


if __name__ == "__main__":
    for scenario in (captured_constant, stale_value, slow_path):
        scenario()
