import flax.linen as nn
import jax
import jax.numpy as jnp


class Model(nn.Module):
    def setup(self):
        self.dense = nn.Dense(3)

    def __call__(self, x):
        return nn.relu(self.dense(x))


model = Model()
variables = model.init(jax.random.key(0), jnp.ones((2, 4)))
kernel = variables["params"]["dense"]["kernel"]
hidden = model.apply(variables, jnp.ones((2, 4)), method=lambda model, x: model.dense(x))
