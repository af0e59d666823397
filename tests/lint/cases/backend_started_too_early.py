import logging
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax import distributed


def asks_first():
    if jax.process_count() > 1:
        jax.distributed.initialize()  # ! backend-started-too-early


def asks_the_environment():
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        jax.distributed.initialize()
    return jax.process_count()


def logs_devices():
    logging.info("devices: %s", jax.devices())
    distributed.initialize(num_processes=2)  # ! backend-started-too-early


def logs_afterwards():
    distributed.initialize(num_processes=2)
    logging.info("devices: %s", jax.devices())


def makes_a_key(seed):
    key = jax.random.key(seed)
    jax.distributed.initialize()  # ! backend-started-too-early
    return key


def makes_numbers(seed):
    rng = np.random.default_rng(seed)
    jax.distributed.initialize()
    return rng


def show():
    print(jax.local_device_count())


def through_a_helper():
    show()
    jax.distributed.initialize()  # ! backend-started-too-early


def set_up():
    jax.distributed.initialize()


def by_a_helper():
    x = jnp.ones(3)
    set_up()  # ! backend-started-too-early
    return x


def helpers_in_order():
    set_up()
    show()


def asks_whether():
    jax.devices()
    if not jax.distributed.is_initialized():
        jax.distributed.initialize()


def either(flag):
    if flag:
        return jax.devices()
    jax.distributed.initialize()
    return []


def else_branch(flag):
    if flag:
        print(jax.devices())
    else:
        jax.distributed.initialize()


def tried():
    jax.devices()
    try:
        jax.distributed.initialize()
    except RuntimeError:
        print("alone")


def devices_too_late():
    print(jax.default_backend())
    jax.config.update("jax_num_cpu_devices", 8)  # ! backend-started-too-early


def devices_in_time():
    jax.config.update("jax_num_cpu_devices", 8)
    print(jax.default_backend())


def platform_too_late():
    x = jnp.zeros(3)
    jax.config.update("jax_platforms", "cpu")  # ! backend-started-too-early
    return x


def other_settings():
    x = jnp.zeros(3)
    jax.config.update("jax_debug_nans", True)
    return x


def compiles_only():
    step = jax.jit(lambda x: x + 1)
    jax.distributed.initialize()
    return step


def types_only():
    kind = jnp.float32
    jax.distributed.initialize()
    return kind


@jax.jit
def traced(x):
    return jnp.sum(x) + jax.device_count()
