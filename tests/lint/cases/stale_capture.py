"""Variables that change after they were captured."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx


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


def an_element_of_a_dict(loader):
    weights = {"loss": 1.0, "other": 2.0}
    weighted = jax.jit(lambda loss: loss * weights["loss"])
    for loss in loader:
        print(weighted(loss))
        weights["other"] = 0.5
        weights["loss"] = 0.5 * weights["loss"]  # ! stale-capture


def a_numpy_array(loader):
    mask = np.ones(4)

    @jax.jit
    def masked(x):
        return x * mask[0]

    for x in loader:
        print(masked(x))
        mask[0] = 0.0  # ! stale-capture


def another_element(loader):
    weights = {"loss": 1.0}
    weighted = jax.jit(lambda loss: loss * weights["loss"])
    for number, loss in enumerate(loader):
        weights[number] = weighted(loss)


def filled_before(loader):
    weights = {}
    weighted = jax.jit(lambda loss: loss * weights["loss"])
    weights["loss"] = 0.5
    for loss in loader:
        print(weighted(loss))


def given_as_an_argument(loader):
    weights = {"loss": 1.0}
    weighted = jax.jit(lambda loss, weights: loss * weights["loss"])
    for loss in loader:
        print(weighted(loss, weights))
        weights["loss"] = 0.5


class Model(nnx.Module):
    def __init__(self, rngs):
        self.layer = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        return self.layer(x)


def fit(model, optimizer, xs):
    for x in xs:
        grads = nnx.grad(lambda m: m(x).sum())(model)
        optimizer.update(model, grads)


def captured_model(xs):
    model = Model(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    look = nnx.jit(lambda x: model(x).sum())
    print(look(xs[0]))
    fit(model, optimizer, xs)  # ! stale-capture
    print(look(xs[0]))


@nnx.jit
def train_step(model, optimizer, x):
    grads = nnx.grad(lambda m: m(x).sum())(model)
    optimizer.update(model, grads)


def captured_model_in_a_loop(xs):
    model = Model(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)

    @nnx.jit
    def look(x):
        return model(x).sum()

    for x in xs:
        train_step(model, optimizer, x)  # ! stale-capture
        print(look(x))


def another_model_is_trained(xs):
    model, other = Model(nnx.Rngs(0)), Model(nnx.Rngs(1))
    optimizer = nnx.Optimizer(other, optax.sgd(0.1), wrt=nnx.Param)
    look = nnx.jit(lambda x: model(x).sum())
    for x in xs:
        train_step(other, optimizer, x)
        print(look(x))


def captured_after_training(xs):
    model = Model(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    fit(model, optimizer, xs)
    look = nnx.jit(lambda x: model(x).sum())
    print(look(xs[0]), look(xs[0]))


def model_given(xs):
    model = Model(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    look = nnx.jit(lambda model, x: model(x).sum())
    print(look(model, xs[0]))
    fit(model, optimizer, xs)
    print(look(model, xs[0]))


def model_only_read(xs):
    model = Model(nnx.Rngs(0))
    look = nnx.jit(lambda x: model(x).sum())
    for x in xs:
        print(look(x), model(x))


def compiled(function):
    return functools.wraps(function)(jax.jit(function))


def through_our_own_jit(loader):
    blend = 1.0
    smooth = compiled(lambda loss: blend * loss)
    other = compiled(lambda loss: 2 * loss)
    for loss in loader:
        print(smooth(loss), other(loss))
        blend = blend * 0.9  # ! stale-capture


def another_function_through_our_own_jit(loader):
    blend = 1.0
    smooth = compiled(lambda loss: blend * loss)
    other = compiled(lambda loss: 2 * loss)
    print(smooth(1.0))
    for loss in loader:
        blend = blend * 0.9
        print(other(loss), blend)


def optimizer_of_another_rate(params, batches):
    optimizer = optax.adam(1e-3)
    step = jax.jit(lambda p, s: optimizer.update(p, s, p))
    state = optimizer.init(params)
    for batch in batches:
        params, state = step(batch, state)
    optimizer = optax.adam(1e-4)  # ! stale-capture
    for batch in batches:
        params, state = step(batch, state)
    return params


def noise_drawn_by_the_same_line(batches):
    noise = np.random.rand(3)
    step = jax.jit(lambda batch: batch + noise)
    for batch in batches:
        print(step(batch))
    noise = np.random.rand(3)  # ! stale-capture
    for batch in batches:
        print(step(batch))
