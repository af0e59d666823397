"""Differentiates backwards through a loop whose number of turns is known at run time only.

Reverse mode has to keep the values of each turn, and needs to know how many there will be.
`jax.lax.scan`, or `fori_loop` with bounds that are Python numbers, says so; forward mode
(`jax.jvp`, `jax.jacfwd`) does not need it.
"""

import jax
import jax.numpy as jnp


def power(w, steps):
    return jax.lax.fori_loop(0, steps, lambda _, x: jnp.tanh(x * w), 1.0)


gradient = jax.jit(jax.grad(power))(0.9, 5)  # ! grad-of-while
