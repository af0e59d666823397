"""nnx models that a compiled function captured, while something else trains them."""

import functools

import jax
import optax
from flax import nnx
from flax.nnx import jit as compile_it


class Net(nnx.Module):
    def __init__(self, rngs):
        self.width = 2
        self.dense = nnx.Linear(2, 1, rngs=rngs)

    def __call__(self, x):
        return self.dense(x)


net = Net(nnx.Rngs(0))
adam = nnx.Optimizer(net, optax.adam(1e-3), wrt=nnx.Param)
frozen = Net(nnx.Rngs(1))


def loss_of(model, x):
    return (model(x) ** 2).mean()


@nnx.jit
def fit_batch(model, optimizer, x):
    optimizer.update(model, nnx.grad(loss_of)(model, x))


def fit_all(model, optimizer, loader):
    for x in loader:
        fit_batch(model, optimizer, x)


@nnx.jit
def score(x):
    return loss_of(net, x)  # ! nnx-closure-stale


def run(loader):
    for x in loader:
        fit_batch(net, adam, x)
        print(score(x))


@compile_it
def before_and_after(x):
    return net(x)  # ! nnx-closure-stale


def twice(loader, x):
    print(before_and_after(x))
    fit_all(net, adam, loader)
    print(before_and_after(x))


def make_score(model):
    @jax.jit
    def look(x):
        return model(x).sum()  # ! nnx-closure-stale

    return look


def made_once(loader):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    look = make_score(model)
    for x in loader:
        fit_batch(model, optimizer, x)
        print(look(x))


def a_layer(loader):
    layer = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(layer, optax.adam(1e-3), wrt=nnx.Param)
    look = nnx.jit(lambda x: layer(x).sum())  # ! nnx-closure-stale
    for x in loader:
        optimizer.update(layer, nnx.grad(loss_of)(layer, x))
        print(look(x))


def weights_put_in(states, x):
    model = Net(nnx.Rngs(0))
    look = jax.jit(lambda x: model(x).sum())  # ! nnx-closure-stale
    for state in states:
        nnx.update(model, state)
        print(look(x))


@nnx.jit
def given(model, x):
    return loss_of(model, x)


def as_an_argument(loader):
    for x in loader:
        fit_batch(net, adam, x)
        print(given(net, x))


@nnx.jit
def only_in_the_end(x):
    return loss_of(net, x)


def evaluated_in_the_end(loader, tests):
    fit_all(net, adam, loader)
    for x in tests:
        print(only_in_the_end(x))


@nnx.jit
def of_a_teacher(x):
    return loss_of(frozen, x)


def distil(loader):
    for x in loader:
        fit_batch(net, adam, x)
        print(of_a_teacher(x))


@nnx.jit
def of_its_settings(x):
    return x * net.width


def with_settings(loader):
    for x in loader:
        fit_batch(net, adam, x)
        print(of_its_settings(x))


def not_compiled(x):
    return loss_of(net, x)


def eager(loader):
    for x in loader:
        fit_batch(net, adam, x)
        print(not_compiled(x))


def made_anew(loader):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    for x in loader:
        fit_batch(model, optimizer, x)
        look = make_score(model)
        print(look(x))


@functools.partial(jax.jit, static_argnums=0)
def of_structure(graph, state, x):
    return nnx.merge(graph, state)(x)


def split_each_time(loader):
    for x in loader:
        fit_batch(net, adam, x)
        graph, state = nnx.split(net)
        print(of_structure(graph, state, x))


def save(path, model, optimizer):
    print(path, nnx.state(model), nnx.state(optimizer))


@nnx.jit
def before_saving(x):
    return loss_of(net, x)


def saved(loader):
    for x in loader:
        print(before_saving(x))
        save("model", net, adam)
