"""`mutable` as boilerplate: the model keeps no statistics."""

import jax
from flax import linen as nn


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        return nn.LayerNorm()(nn.Dense(3)(x))


net = Net()


def train_step(params, x):
    def loss_fn(p):
        y, _ = net.apply({"params": p}, x, mutable=["batch_stats"], train=True)
        return y.mean()

    return jax.grad(loss_fn)(params)


def encode(model, variables, x):
    y, _ = model.apply(variables, x, mutable=["batch_stats"], train=True, method=model.encode)
    return y
