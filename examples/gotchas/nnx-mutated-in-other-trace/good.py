import jax.numpy as jnp
from flax import nnx

norm = nnx.BatchNorm(3, rngs=nnx.Rngs(0))


@nnx.jit
def step(norm, batch):
    return norm(batch).sum()


total = step(norm, jnp.ones((4, 3)))
