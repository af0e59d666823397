"""What a jitted closure takes along at each turn."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


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


def batches(images, labels, size):
    for start in range(0, len(images) - size + 1, size):
        rows = slice(start, start + size)
        yield {"image": images[rows], "label": labels[rows]}


def error(w, batch):
    return jnp.mean((batch["image"] @ w - batch["label"]) ** 2)


@jax.jit
def compiled_error(w, batch):
    return error(w, batch)


def scores_of_dicts(w, images, labels):
    scores = []
    for batch in batches(images, labels, 4):
        score = jax.jit(lambda w: compiled_error(w, batch))  # ! jit-captures-batch
        scores.append(score(w))
    return scores


def trained_on_dicts(w, images, labels, epochs=3):
    for _ in range(epochs):
        for batch in batches(images, labels, 4):

            @jax.jit  # ! jit-captures-batch
            def update(w):
                return w - jax.grad(error)(w, batch)

            w = update(w)
    return w


class Learner:
    def __init__(self):
        self.w = jnp.ones(3)

    def learn(self, w, seen, rewards):
        return w - 0.1 * jnp.sum(rewards[:, None] * seen * w, axis=0)

    def update(self, episode):
        data = (episode.seen, episode.rewards)
        step = jax.jit(lambda w: self.learn(w, *data))  # ! jit-captures-batch
        self.w = step(self.w)


class Episode:
    def __init__(self):
        self.seen = np.zeros((5, 3), np.float32)
        self.rewards = np.zeros(5, np.float32)

    def add(self, place, seen, reward):
        self.seen[place] = seen
        self.rewards[place] = reward


def play(learner, rounds=6):
    for _ in range(rounds):
        episode = Episode()
        for place in range(5):
            episode.add(place, np.ones(3), 1.0)
        learner.update(episode)


images, labels = np.ones((16, 3), np.float32), np.ones(16, np.float32)
w = trained_on_dicts(jnp.ones(3), images, labels)
scores = scores_of_dicts(w, images, labels)
play(Learner())


def a_schedule_in_training(w, x):
    for epoch in range(6):
        rate = 0.5 / (1.0 + epoch)
        update = jax.jit(lambda w, x: w - rate * jax.grad(loss)(w, x))  # ! jit-captures-batch
        w = update(w, x)
    return w


def damped(w, x, damping):
    return w - damping * jax.grad(loss)(w, x)


def solver_of(damping, order):
    def inner(w, x):
        return damped(w, x, damping)

    def solve(w, x):
        for _ in range(order):
            w = inner(w, x)
        return w

    return solve


def damped_by(damping):
    def inner(w, x):
        return damped(w, x, damping)

    return lambda w, x: inner(w, x)


def one_solver_for_each_damping(w, x):
    found = {}
    for trial in range(12):
        damping = 0.5 / (1 + trial)
        solve = jax.jit(damped_by(damping))  # ! jit-captures-batch
        found[trial] = solve(w, x)
    return found


def one_solver_for_each_order(w, x):
    found = {}
    for order in (1, 2, 3, 4):
        solve = jax.jit(solver_of(0.1, order))
        found[order] = solve(w, x)
    return found


def one_training_for_each_damping(w, rows):
    found = {}
    for damping in (0.5, 0.1, 0.05, 0.01):
        solve = jax.jit(solver_of(damping, 2))
        for row in rows:
            w = solve(w, row)
        found[damping] = w
    return found
