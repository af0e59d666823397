"""What a kernel's annotation calls a number is no reference: something fills it that is not seen."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def add_up(x_ref, o_ref, block: int, double: bool):
    total = jnp.zeros(())
    for start in range(0, 64, block):
        total += jnp.sum(x_ref[pl.ds(start, 8)])
    o_ref[0] = total * 2 if double else total


def make(configure):
    kernel = pl.pallas_call(add_up, out_shape=jax.ShapeDtypeStruct((1,), jnp.float32))
    return configure(kernel, block=8, double=True)
