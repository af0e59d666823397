"""Differences of rows and columns that are meant, and those that are not."""

import jax
import jax.numpy as jnp
import optax
from flax import linen, nnx
from jax import nn


def squared_error(w, x, y):
    return jnp.mean((x @ w - y) ** 2)  # ! column-minus-row


def absolute_error(w, x, y):
    return jnp.abs(y - nn.tanh(x @ w)).mean()  # ! column-minus-row


def flat(w, x, y):
    return jnp.mean(((x @ w)[:, 0] - y) ** 2)


def all_pairs(y):
    return jnp.abs(y[:, None] - y).sum()


def pairs_by_reshape(y):
    return jnp.abs(y.reshape(-1, 1) - y).sum()


def one_number(w, x):
    return x @ w - jnp.ones(1)


w, x, y = jnp.ones((3, 1)), jnp.ones((4, 3)), jnp.ones(4)
wrong = squared_error(w, x, y), absolute_error(w, x, y)
right = flat(w, x, y), all_pairs(y), pairs_by_reshape(y), one_number(w, x)


class Critic(linen.Module):
    hidden: int = 8

    @linen.compact
    def __call__(self, x):
        return linen.Dense(1)(linen.relu(linen.Dense(self.hidden)(x)))


class Judge(nnx.Module):
    def __init__(self, rngs):
        self.hidden = nnx.Linear(3, 8, rngs=rngs)
        self.out = nnx.Linear(8, 1, rngs=rngs)

    def __call__(self, x):
        return self.out(nnx.gelu(self.hidden(x)))


def value_loss(params, x, returns):
    values = Critic().apply(params, x)
    return jnp.mean((values - returns) ** 2)  # ! column-minus-row


def squeezed_loss(params, x, returns):
    values = Critic().apply(params, x).squeeze(-1)
    return jnp.mean((values - returns) ** 2)


def judged(judge, x, returns):
    return optax.huber_loss(judge(x), returns).mean()  # ! column-minus-row


def accuracy(judge, x, labels):
    return jnp.mean((judge(x) > 0) == labels)  # ! column-minus-row


def judged_in_columns(judge, x, returns):
    return optax.huber_loss(judge(x), returns[:, None]).mean()


params = Critic().init(jax.random.key(0), x)
judge = Judge(nnx.Rngs(0))
wrong = value_loss(params, x, y), judged(judge, x, y), accuracy(judge, x, y > 0)
right = squeezed_loss(params, x, y), judged_in_columns(judge, x, y)
