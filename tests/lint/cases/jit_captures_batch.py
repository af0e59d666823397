"""What a jitted closure takes along at each turn."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp


def loss(w, batch):
    return jnp.sum(w * batch)


def closure_over_the_loop_variable(w, loader):
    for batch in loader:
        grads = jax.jit(jax.grad(lambda w: loss(w, batch)))(w)  # ! jit-captures-batch
        w = w - grads
    return w


def local_loss(w, loader):
    for batch in loader:

        def objective(w):
            return loss(w, batch)

        step = jax.jit(objective)  # ! jit-captures-batch
        print(step(w))


def as_an_argument(w, loader):
    step = jax.jit(jax.grad(loss))
    for batch in loader:
        w = w - step(w, batch)
    return w


def eager_closure(w, loader):
    for batch in loader:
        w = w - jax.grad(lambda w: loss(w, batch))(w)
    return w


def captured_once(w, loader, data):
    step = jax.jit(lambda w: loss(w, data))
    for _ in loader:
        print(step(w))


def another_environment_each_turn(environments, key):
    for env in environments:
        print(jax.jit(lambda k: env.reset(k))(key))


class Batch(NamedTuple):
    x: jax.Array
    y: jax.Array


class RunConfig(NamedTuple):
    width: int


def squared(w, batch):
    return jnp.sum((w * batch.x - batch.y) ** 2)


def made_of(rows):
    for row in rows:
        yield Batch(jnp.asarray(row), jnp.ones(3))


def a_tuple_with_names(w, rows):
    for batch in made_of(rows):
        print(jax.jit(lambda w: squared(w, batch))(w))  # ! jit-captures-batch


def another_configuration_each_turn(w, widths):
    for width in widths:
        config = RunConfig(width)
        print(jax.jit(lambda w: w * config.width)(w))


def objective_of(batch):
    def objective(w):
        return loss(w, batch)

    return objective


def jitted_objective_of(batch):
    return jax.jit(lambda w: loss(w, batch))


def from_a_factory(w, loader):
    for rows in loader:
        batch = jnp.asarray(rows)
        value = jax.jit(objective_of(batch))  # ! jit-captures-batch
        print(value(w))


def from_a_factory_that_jits(w, loader):
    for rows in loader:
        batch = jnp.asarray(rows)
        value = jitted_objective_of(batch)  # ! jit-captures-batch
        print(value(w))


def factory_of_what_is_unknown(w, models):
    for model in models:
        print(jax.jit(objective_of(model))(w))  # ! jit-captures-batch


class Agent:
    def loss(self, w, x, y):
        return jnp.sum((w * x - y) ** 2)

    def update(self, w, batch):
        data = (batch.x, batch.y)
        value = jax.jit(lambda w: self.loss(w, *data))  # ! jit-captures-batch
        return value(w)

    def prepare(self, w, batch):
        return jax.jit(lambda w: self.loss(w, batch.x, batch.y))(w)  # ! jit-captures-batch


def a_batch_and_its_size(w, loader):
    for batch in loader:
        batch_size = len(batch)

        def objective(w):
            return loss(w, batch) / batch_size

        w = w - jax.jit(jax.grad(objective))(w)  # ! jit-captures-batch
    return w


def two_closures_over_a_batch(w, loader):
    for rows in loader:
        batch = jnp.asarray(rows)

        def objective(w):
            return jnp.sum(w * batch)

        print(jax.jit(lambda w: objective(w) + 1.0)(w))  # ! jit-captures-batch


def a_batch_and_its_length(w, loader):
    for rows in loader:
        batch, length = jnp.asarray(rows), len(rows)

        def objective(w):
            return jnp.sum(jnp.arange(length) * w * batch)

        print(jax.jit(objective)(w))  # ! jit-captures-batch


def map_over(function, w):
    return jnp.stack([function(part) for part in w])


def a_batch_and_a_function(w, loader, loss: Callable):
    for rows in loader:
        batch = jnp.asarray(rows)
        print(jax.jit(lambda w: jnp.sum(map_over(loss, w) * batch))(w))  # ! jit-captures-batch


def a_function_each_time(w, losses):
    def one(loss: Callable):
        return jax.jit(lambda w: map_over(loss, w))(w)

    return [one(loss) for loss in losses]
