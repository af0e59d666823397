"""A key that is split again for `tabulate`, which looks at shapes alone."""

import flax.linen as nn
import jax
import jax.numpy as jnp


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dropout(0.1, deterministic=False)(nn.Dense(4)(x))


def create(seed: int, tabulate: bool):
    net = Net()
    key = jax.random.key(seed)
    params_key, dropout_key = jax.random.split(key)
    params = net.init({"params": params_key, "dropout": dropout_key}, jnp.ones(3))
    if tabulate:
        params_key, dropout_key = jax.random.split(key)
        print(net.tabulate({"params": params_key, "dropout": dropout_key}, jnp.ones(3)))
    return params


print(create(0, tabulate=True))
