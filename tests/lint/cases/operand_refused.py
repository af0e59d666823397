"""Lists, tuples and whole numbers as operands."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def of_results(steps):
    losses = [jnp.ones(()) * i for i in range(steps)]
    return jnp.mean(losses)  # ! operand-refused


def count(x):
    return jnp.prod(x.shape)  # ! operand-refused


def whole(n: int = 3):
    return lax.rsqrt(n)  # ! operand-refused


def stacked(steps):
    losses = [jnp.ones(()) * i for i in range(steps)]
    return jnp.mean(jnp.stack(losses)) + jnp.asarray([1.0, 2.0]).mean()


def on_the_host(steps):
    return np.mean([float(i) for i in range(steps)])


def size(x):
    return x.size + jnp.concatenate([x, x]).size


def promoted(n: int = 3):
    return jnp.sqrt(n) + lax.rsqrt(float(n))


def of_the_caller(values):
    return jnp.sum(values)


wrong = of_results(3), count(jnp.ones((2, 3))), whole()
right = stacked(3), on_the_host(3), size(jnp.ones(3)), promoted(), jax.jit(of_the_caller)(1.0)
