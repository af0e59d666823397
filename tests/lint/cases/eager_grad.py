"""Gradients in training loops."""

import time

import jax
import jax.numpy as jnp


def loss(w, x):
    return jnp.sum((w * x) ** 2)


def closure(w, loader):
    for x in loader:
        value, grads = jax.value_and_grad(lambda w: loss(w, x))(w)  # ! eager-grad
        w = w - grads
        print(float(value))


def made_before_the_loop(w, loader):
    gradient = jax.grad(loss)
    for x in loader:
        start = time.time()
        w = w - gradient(w, x)  # ! eager-grad
        print(time.time() - start)


def jitted(w, loader):
    gradient = jax.jit(jax.grad(loss))
    for x in loader:
        w = w - gradient(w, x)
        print(w)


def library_code_may_be_traced_by_others(w, xs):
    for x in xs:
        w = w - jax.grad(loss)(w, x)
    return w


@jax.jit
def traced(w, xs):
    for x in xs:
        print("tracing")
        w = w - jax.grad(loss)(w, x)
    return w


def traced_elsewhere(w, xs):
    for x in range(10):
        print("tracing")
        w = w - jax.grad(loss)(w, xs[x])
    return w


compiled = jax.jit(traced_elsewhere)


def once(w, x):
    print(jax.grad(loss)(w, x))


def a_few_turns(w, x):
    for _ in range(3):
        print(jax.grad(loss)(w, x))


def every_other_turn(w, x):
    for turn in range(1000):
        if turn % 2 == 0:
            print(turn, jax.grad(loss)(w, x))  # ! eager-grad
        w = w * 0.9


def of_many_batches(w, loader):
    for turn, x in enumerate(loader):
        if turn % 20 == 0:
            w = w - jax.grad(loss)(w, x)  # ! eager-grad
            print(turn)


def five_of_a_hundred(w, x):
    for turn in range(100):
        if turn % 20 == 0:
            print(turn, jax.grad(loss)(w, x))
        w = w * 0.9


def newton(f, x):
    """The slope at a number is no work."""
    slope = jax.grad(f)
    for turn in range(30):
        x = x - f(x) / slope(x)
        print(turn)
    return x


def of_a_number():
    return newton(lambda x: x**3 - 2.0, jnp.float32(1.0))


def in_one_turn(w, x):
    for turn in range(1000):
        if turn == 3:
            print(turn, jax.grad(loss)(w, x))
        w = w * 0.9
