import flax.linen as nn
import jax
import jax.numpy as jnp


class Model(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(3)(x)


variables = Model().init(jax.random.key(0), jnp.ones((2, 4)))
