"""A training flag that is static whichever way it is given, and one that is only a predicate."""

from functools import partial

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn

net = nn.Dropout(0.5)
tx = optax.sgd(0.1)


class Trainer:
    def loss(self, params, inputs, training: bool, rng):
        out = net.apply({}, inputs @ params, deterministic=not training, rngs={"dropout": rng})
        return jnp.mean(out**2)

    def compiled(self):
        loss, step = self.loss, partial(update, loss=self.loss)
        return jax.jit(loss, static_argnames="training"), jax.jit(step, static_argnames="training")


def update(params, opt_state, inputs, training: bool, rng, loss):
    value, grads = jax.value_and_grad(loss)(params, inputs, training, rng)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, value


def predict(params, inputs, train=False):
    def training(x):
        return net.apply({}, x, train=True) @ params

    return jax.lax.cond(train, training, lambda x: x @ params, inputs)


@jax.jit
def accuracy(params, inputs, labels, train=True):
    return jnp.mean(predict(params, inputs, train=train) == labels)


def run(params, inputs, labels, rng):
    _, step = Trainer().compiled()
    params, _, value = step(params, tx.init(params), inputs, True, rng)
    return value, accuracy(params, inputs, labels, train=False)
