"""States that a step replaces."""

import functools

import jax
import jax.numpy as jnp
import optax


@jax.jit  # ! missing-donation
def step(weights, batch):
    return weights - 0.1 * batch, batch.sum()


def train(batches):
    weights = jnp.ones((4096, 4096))
    for batch in batches:
        weights, loss = step(weights, batch)
    return weights, loss


@functools.partial(jax.jit, donate_argnums=0)
def donating(weights, batch):
    return weights - 0.1 * batch, batch.sum()


def train_in_place(batches):
    weights = jnp.ones((4096, 4096))
    for batch in batches:
        weights, loss = donating(weights, batch)
    return weights, loss


@functools.partial(jax.jit, donate_argnums=())
def on_purpose(weights, batch):
    return weights - 0.1 * batch


def keeps_the_old_one(batches):
    weights = jnp.ones((4096, 4096))
    for batch in batches:
        weights = on_purpose(weights, batch)
    return weights


@jax.jit  # ! missing-donation
def both(state, batch):
    weights, moments = state
    return (weights - moments, moments + batch), batch.sum()


def train_a_tuple(batches):
    state = (jnp.ones((4096, 1024)), jnp.zeros((4096, 1024)))
    for batch in batches:
        state, _ = both(state, batch)
    return state


@jax.jit
def small(counts, batch):
    return counts + batch


def count(batches):
    counts = jnp.zeros(10)
    for batch in batches:
        counts = small(counts, batch)
    return counts


@jax.jit
def once(weights):
    return weights * 2


def without_a_loop():
    weights = jnp.ones((4096, 4096))
    weights = once(weights)
    return weights


@jax.jit
def compared(weights, batch):
    return weights - batch


def with_another_name(batches):
    weights = jnp.ones((4096, 4096))
    for batch in batches:
        new = compared(weights, batch)
        print(jnp.abs(new - weights).max())
        weights = new
    return weights


class Trainer:
    def __init__(self, state):
        self.state = state

    @functools.partial(jax.jit, static_argnums=0)  # ! missing-donation
    def update(self, state, batch):
        grads = jax.grad(self.loss)(state.params, batch)
        return state.apply_gradients(grads=grads)

    def fit(self, batches):
        for batch in batches:
            self.state = self.update(self.state, batch)


def fit_with_a_key(seed, params, opt_state, optimizer, loss, batches):
    @jax.jit  # ! missing-donation
    def step(key, params, opt_state, batch):
        key, subkey = jax.random.split(key)
        grads = jax.grad(loss)(params, batch, subkey)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return key, optax.apply_updates(params, updates), opt_state

    key = jax.random.key(seed)
    for batch in batches:
        key, params, opt_state = step(key, params, opt_state, batch)
    return params


def fit_and_sample(state, batches, sample, samples):
    @jax.jit  # ! missing-donation
    def step(state, batch):
        return state.apply_gradients(grads=jax.grad(batch.loss)(state.params))

    for batch in batches:
        state = step(state, batch)
        samples.append(sample(state, batch.shape))
    return state, samples
