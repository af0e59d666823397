"""Rates that are tried from one start; a sample of the losses goes into the log alone."""

import jax
import jax.numpy as jnp
import optax

import summary


def fit_sgd(key, params, optimizer):
    state = optimizer.init(params)
    return params + jax.random.normal(key, params.shape), state


def train(key, params):
    sub, last = jax.random.split(key)
    losses = params * jax.random.normal(last, params.shape)
    rates = [1e-2, 1e-1, 2.5e-1]
    found = []
    for rate in rates:
        found.append(fit_sgd(sub, params, optimizer=optax.adam(rate))[0])
    return found, losses


def report(key, losses):
    first, second = jax.random.split(key)
    noise = jax.random.normal(first, losses.shape) + jax.random.normal(second, losses.shape)
    return {"loss": summary.sample_value(key, jnp.abs(losses)), "noise": noise}
