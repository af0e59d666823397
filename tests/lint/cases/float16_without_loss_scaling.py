import jax
import jax.numpy as jnp

from model import Model

STEPS = jax.jit(jax.grad(lambda w, x: jnp.mean(x @ w)))


class Trainer:
    def __init__(self, half, platform):
        if half and platform == "tpu":
            self.dtype = jnp.bfloat16
        elif half:
            self.dtype = jnp.float16  # ! float16-without-loss-scaling
        else:
            self.dtype = jnp.float32


def make():
    return Model(width=8, dtype=jnp.float16)  # ! float16-without-loss-scaling


def of_the_range():
    return Model(width=8, dtype=jnp.bfloat16)


def of_choices(name):
    types = {"float16": jnp.float16, "bfloat16": jnp.bfloat16}
    return types[name]


def stored(images):
    return jnp.asarray(images, dtype=jnp.float16)
