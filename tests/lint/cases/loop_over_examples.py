"""Calls for each row of an array."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx


@jax.jit
def predict(w, x):
    return jnp.tanh(w @ x)


@jax.jit
def loss(w, x, y):
    return jnp.sum((w @ x - y) ** 2)


@jax.jit
def compared(w, x):
    return jnp.tanh(w @ x)


predict_many = jax.jit(jax.vmap(compared, in_axes=(None, 0)))


def comprehension(w):
    xs = jnp.linspace(0.0, 1.0, 100)
    return jnp.stack([predict(w, x) for x in xs])  # ! loop-over-examples


def list_that_is_filled(w):
    xs = np.random.default_rng(0).normal(size=(100, 3))
    outputs = []
    for x in xs:
        outputs.append(predict(w, x))  # ! loop-over-examples
    return jnp.array(outputs)


def by_number(w, count):
    xs = jnp.ones((count, 3))
    found = []
    for i in range(len(xs)):
        y = predict(w, xs[i])  # ! loop-over-examples
        found.append(y)
    return np.stack(found)


def in_step(w):
    xs, ys = np.ones((100, 3)), np.ones((100, 2))
    losses = [float(loss(w, x, y)) for x, y in zip(xs, ys)]  # ! loop-over-examples
    return np.mean(losses)


def numbered(w):
    xs = np.ones((100, 3))
    return np.array([np.asarray(predict(w, x)) for i, x in enumerate(xs)])  # ! loop-over-examples


def of_keys(shape):
    keys = jax.random.split(jax.random.key(0), 50)
    draw = jax.jit(lambda key: jax.random.normal(key, (3,)))
    return jnp.stack([draw(key) for key in keys])  # ! loop-over-examples


def of_a_few_keys():
    keys = jax.random.split(jax.random.key(0), 3)
    draw = jax.jit(lambda key: jax.random.normal(key, (3,)))
    return jnp.stack([draw(key) for key in keys])


def mapped_already(w):
    rows = jnp.ones((10, 32, 3))
    return jnp.concatenate([predict_many(w, x) for x in rows])


def of_batches(w, data):
    images = np.ones((10, 32, 3))
    return jnp.concatenate([predict(w, batch) for batch in images])


def by_number_of_batches(w, num_batches):
    images = np.ones((10, 32, 3))
    return jnp.concatenate([predict(w, images[i]) for i in range(num_batches)])


def slices(w):
    images = np.ones((320, 3))
    return jnp.concatenate([predict(w, images[i : i + 32]) for i in range(0, 320, 32)])


def of_a_loader(w, loader):
    return jnp.stack([predict(w, x) for x in loader])


def of_a_list(w):
    layers = [np.ones(3), np.ones(3)]
    return jnp.stack([predict(w, x) for x in layers])


def handed_on(w):
    state, states = jnp.zeros(3), []
    for x in np.ones((100, 3)):
        state = predict(w, state + x)
        states.append(state)
    return jnp.stack(states)


def carried(w):
    state, states = jnp.zeros(3), []
    for x in jnp.ones((100, 3)):
        state = loss(w, x, state)
        states.append(state)
    return jnp.stack(states)


def new_keys(w):
    key, found = jax.random.key(0), []
    for x in np.ones((100, 3)):
        key, draw = jax.random.split(key)
        found.append(loss(w, x, draw))
    return jnp.stack(found)


def until_it_is_small(w):
    found = []
    for x in np.ones((100, 3)):
        y = predict(w, x)
        if y.sum() < 0:
            break
        found.append(y)
    return jnp.stack(found)


def some(w):
    found = []
    for i, x in enumerate(np.ones((100, 3))):
        if i % 3 == 0:
            found.append(predict(w, x))
    return jnp.stack(found)


def chosen(w):
    return jnp.stack([predict(w, x) for x in np.ones((100, 3)) if x.sum() > 0])


def not_joined(w):
    return [predict(w, x) for x in np.ones((100, 3))]


def without_jit(w):
    return jnp.stack([jnp.tanh(w @ x) for x in jnp.ones((100, 3))])


@jax.jit
def within_a_trace(w):
    return jnp.stack([predict(w, x) for x in jnp.ones((100, 3))])


@functools.partial(jax.jit, static_argnums=1)
def power(x, n):
    return x**n


def of_numbers(x):
    return jnp.stack([power(x, n) for n in range(100)])


def of_every_layer(params, x):
    return jnp.stack([predict(w, x) for w in params["layers"]])


def two_loops(w):
    found = []
    for x in np.ones((10, 3)):
        for y in np.ones((10, 3)):
            found.append(loss(w, x, y))
    return jnp.stack(found)


def of_parts(w, count):
    parts = np.array_split(np.ones((320, 3)), 10)
    return jnp.concatenate([predict(w, part) for part in parts])


class Agent:
    def __init__(self, w):
        self.w = w

    def act(self, seen):
        actions = []
        for x in np.ones((100, 3)):
            actions.append(predict(self.w, x))
            self.w = self.w + 1
        return jnp.stack(actions)


def reshaped(w, data):
    rows = np.ones((320, 3)).reshape(10, 32, 3)
    return jnp.concatenate([predict(w, x) for x in rows])


def what_vmap_should_give(w):
    xs = np.ones((100, 3))
    by_hand = jnp.stack([compared(w, x) for x in xs])
    return jnp.allclose(predict_many(w, xs), by_hand)


def curve(w):
    rates = np.linspace(0.0, 1.0, 60)
    return np.array([float(loss(w, jnp.asarray(r), 0.0)) for r in rates])  # ! loop-over-examples


def plain(x):
    return jnp.sin(x)


plain_jitted, plain_mapped = jax.jit(plain), jax.vmap(plain)


def both_timed():
    xs = np.ones((100, 3))
    return np.array([plain_jitted(x) for x in xs]), plain_mapped(xs)


def search(w, rounds):
    best = 0.0
    for number in range(rounds):
        points = np.random.default_rng(number).normal(size=(100, 3))
        found = np.array([float(loss(w, jnp.asarray(x), 0.0)) for x in points])  # ! loop-over-examples
        best = max(best, found.max())
    return best


def of_choices(w):
    rates = np.array([0.1, 0.01, 0.001])
    return np.array([float(loss(w, rate, 0.0)) for rate in rates])


def of_five(w):
    return np.array([float(loss(w, x, 0.0)) for x in np.linspace(0, 1, 5)])


@nnx.jit
def train_step(model, x):
    model.count.value += x
    return model.count.value


def of_steps(model):
    return np.mean([float(train_step(model, x)) for x in np.ones(100)])
