import flax.linen as nn
import jax
import jax.numpy as jnp


class Model(nn.Module):
    @nn.compact
    def __call__(self, x):
        hidden = nn.Dense(2)(x)
        self.sow("intermediates", "hidden", hidden)
        return nn.relu(hidden)


variables = Model().init(jax.random.key(0), jnp.ones((4, 3)))
