"""What a jitted closure takes along at each turn."""

import functools

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


def partial_of_the_batch(w, loader):
    for _ in range(100):
        batch = jnp.asarray(next(loader))
        print(jax.jit(functools.partial(loss, batch=batch))(w))  # ! jit-captures-batch


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
