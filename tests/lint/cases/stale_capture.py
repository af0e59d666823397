"""Variables that change after they were captured."""

import jax
import jax.numpy as jnp


def lowered(x, epochs):
    rate = 0.5

    @jax.jit
    def step(x):
        return x * rate

    for _ in range(epochs):
        x = step(x)
        rate = rate * 0.1  # ! stale-capture
    return x


def between_two_calls(x):
    weights = jnp.ones(3)
    predict = jax.jit(lambda x: x * weights)
    before = predict(x)
    weights = weights + 1  # ! stale-capture
    return before, predict(x)


def before_the_first_call(x):
    rate = 0.5
    step = jax.jit(lambda x: x * rate)
    rate = 0.1
    return step(x)


def after_the_last_call(x):
    rate = 0.5
    step = jax.jit(lambda x: x * rate)
    y = step(x)
    rate = 0.1
    return y * rate


def as_an_argument(x, epochs):
    rate = 0.5
    step = jax.jit(lambda x, rate: x * rate)
    for _ in range(epochs):
        x = step(x, rate)
        rate = rate * 0.1
    return x


def made_anew(xs):
    for x in xs:
        rate = x.mean()
        step = jax.jit(lambda x: x * rate)
        print(step(x))


def eager_closure(x, epochs):
    rate = 0.5

    def step(x):
        return x * rate

    for _ in range(epochs):
        x = step(x)
        rate = rate * 0.1
    return x


def on_the_other_branch(x, slow):
    rate = 0.5
    step = jax.jit(lambda x: x * rate)
    if slow:
        x = step(x)
    else:
        rate = 0.1
    return x * rate


def assigned_after_a_decorated_definition(x, batches):
    from functools import partial

    @partial(jax.jit, donate_argnums=0)
    def step(x, batch):
        return x * rate + batch

    rate = 0.5
    for batch in batches:
        x = step(x, batch)
    return x
