"""No call of the program turns `is_training`, `train` or `deterministic` to the value of training."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Net(nn.Module):
    rate: float = 0.1

    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.Dense(4)(x)
        x = nn.Dropout(self.rate, deterministic=not train)(x)
        return nn.Dense(1)(x)


def own_mask(weights, x, key, is_training=False):
    y = x @ weights
    if is_training:
        y = jnp.where(jax.random.bernoulli(key, 0.9, y.shape), y / 0.9, 0.0)
    return y


net, tx = Net(), optax.sgd(0.1)
params = net.init(jax.random.key(0), jnp.ones((2, 3)), train=True)


def step(params, state, x):
    def loss(params):
        return net.apply(params, x, train=False).sum()  # ! dropout-never-on

    grads = jax.grad(loss)(params)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state


def own_step(weights, state, x, key):
    def loss(weights):
        return own_mask(weights, x, key, is_training=False).sum()  # ! dropout-never-on

    value, grads = jax.value_and_grad(loss)(weights)
    updates, state = tx.update(grads, state, weights)
    return optax.apply_updates(weights, updates), state


def evaluate(params, x):
    return net.apply(params, x, train=False).mean()


def evaluated_loss(params, x):
    def loss(params):
        return net.apply(params, x, train=False).sum()

    return loss(params)


def gradients_of_another(params, x):
    def loss(params):
        return net.apply(params, x, train=False).sum()

    def norm(params):
        return optax.global_norm(params)

    return loss(params), jax.grad(norm)(params)


def handed_on(params, x, train):
    def loss(params):
        return net.apply(params, x, train=train).sum()

    return jax.grad(loss)(params)
