"""A key for the dropout of a model that is not told to train."""

import flax.linen as nn
import jax
import jax.numpy as jnp


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, training: bool = False):
        x = nn.Dense(4)(x)
        return nn.Dropout(0.1)(x, deterministic=not training)


net = Net()


@jax.jit
def evaluate(params, x):
    return net.apply({"params": params}, x, rngs={"dropout": jax.random.PRNGKey(2)})


params = net.init(jax.random.key(0), jnp.ones((2, 3)))["params"]
for _ in range(20):
    print(evaluate(params, jnp.ones((2, 3))).sum())
