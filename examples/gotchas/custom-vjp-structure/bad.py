"""Returns from the backward function of a `custom_vjp` not one gradient for each argument.

The backward function gets what the forward function kept, and the cotangent of the result. It must
give a tuple with one entry for each argument of the function, those without a gradient as `None`.
JAX checks the containers and shapes, but not whether the numbers are right:
`jax.test_util.check_grads` does.
"""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def scaled(x, factor):
    return x * factor


def forward(x, factor):
    return scaled(x, factor), factor


def backward(factor, cotangent):
    return (cotangent * factor,)


scaled.defvjp(forward, backward)
gradient = jax.grad(lambda x: scaled(x, 2.0).sum())(jnp.ones(3))  # ! custom-vjp-structure
