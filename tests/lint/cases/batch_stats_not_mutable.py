import jax
import jax.numpy as jnp
from flax import linen as nn


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.Dense(8)(x)
        return nn.BatchNorm(use_running_average=not train)(x)


class Block(nn.Module):
    train: bool

    @nn.compact
    def __call__(self, x):
        norm = nn.BatchNorm(use_running_average=not self.train)
        return nn.relu(norm(nn.Dense(8)(x)))


model = Model()


@jax.jit
def trains(variables, x):
    return model.apply(variables, x, train=True)  # ! batch-stats-not-mutable


@jax.jit
def switched_off(variables, x):
    return model.apply(variables, x, train=True, mutable=False)  # ! batch-stats-not-mutable


@jax.jit
def of_a_field(variables, x):
    return Block(train=True).apply(variables, x)  # ! batch-stats-not-mutable


@jax.jit
def evaluates(variables, x):
    return model.apply(variables, x, train=False)


@jax.jit
def keeps(variables, x):
    y, changed = model.apply(variables, x, train=True, mutable=["batch_stats"])
    return y, changed["batch_stats"]


@jax.jit
def evaluates_a_field(variables, x):
    return Block(train=False).apply(variables, x)


@jax.jit
def with_options(variables, x, **options):
    return model.apply(variables, x, train=True, **options)


def as_somebody_says(variables, x, train):
    return model.apply(variables, x, train=train)


def made(x):
    return model.init(jax.random.key(0), x, train=True)
