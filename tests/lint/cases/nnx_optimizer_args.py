"""`nnx.Optimizer` as it was before Flax 0.11."""

import inspect

import optax
from flax import nnx
from flax.nnx import Optimizer


class Other:
    def __init__(self, model, tx):
        self.model, self.tx = model, tx

    def update(self, grads):
        return grads


def old(model, lr):
    tx = optax.chain(optax.clip(1.0), optax.adam(lr))
    return Optimizer(model, tx)  # ! nnx-optimizer-args


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)

    def step(self, grads):
        self.optimizer.update(grads)  # ! nnx-optimizer-args

    def right(self, grads):
        self.optimizer.update(self.model, grads)


def by_keyword(model, wanted):
    return nnx.Optimizer(model, optax.adam(1e-3), wrt=wanted)


def by_position(model):
    return nnx.Optimizer(model, optax.adam(1e-3), nnx.Param)  # ! nnx-optimizer-args


def with_options(model, options):
    return nnx.Optimizer(model, optax.adam(1e-3), **options)


def holds_the_model(model, grads):
    optimizer = nnx.ModelAndOptimizer(model, optax.adam(1e-3))
    optimizer.update(grads)


def given(optimizer: nnx.Optimizer, grads):
    optimizer.update(grads)


def of_another_class(model, grads):
    optimizer = Other(model, optax.adam(1e-3))
    optimizer.update(grads)


def with_the_loss(model, grads, value):
    optimizer = nnx.Optimizer(model, optax.lbfgs(), wrt=nnx.Param)
    optimizer.update(model, grads, value=value)


def of_optax(params, grads):
    tx = optax.adam(1e-3)
    return tx.update(grads, tx.init(params))


@nnx.jit
def traced_step(model, optimizer: nnx.Optimizer, x):
    grads = nnx.grad(lambda m: m(x).sum())(model)
    optimizer.update(grads)  # ! nnx-optimizer-args


@nnx.jit
def plain_step(model, optimizer, x):
    grads = nnx.grad(lambda m: m(x).sum())(model)
    optimizer.update(grads)  # ! nnx-optimizer-args


@nnx.jit
def step_that_holds(model, optimizer: nnx.Optimizer, x):
    grads = nnx.grad(lambda m: m(x).sum())(model)
    optimizer.update(grads)


@nnx.jit
def step_of_whoever(model, optimizer: nnx.Optimizer, x):
    grads = nnx.grad(lambda m: m(x).sum())(model)
    optimizer.update(grads)


@nnx.jit
def step_of_two(model, optimizer, x):
    grads = nnx.grad(lambda m: m(x).sum())(model)
    optimizer.update(grads)  # ! nnx-optimizer-args


@nnx.jit
def step_that_asks(model, optimizer, x):
    grads = nnx.grad(lambda m: m(x).sum())(model)
    if "model" in inspect.signature(optimizer.update).parameters:
        optimizer.update(model, grads)
    else:
        optimizer.update(grads)


def fit(model, x):
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    traced_step(model, optimizer, x)
    plain_step(model, optimizer, x)
    step_of_two(model, optimizer, x)
    step_that_asks(model, optimizer, x)
    both = nnx.ModelAndOptimizer(model, optax.sgd(0.1))
    step_that_holds(model, both, x)
    step_of_two(model, both, x)


def by_keyword_alone(model, grads):
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    optimizer.update(grads=grads)  # ! nnx-optimizer-args


class Holder:
    def __init__(self, model):
        self.model = model
        self.optimizer = nnx.ModelAndOptimizer(model, tx=optax.adam(1e-3))

    def right(self, grads, value):
        self.optimizer.update(grads)
        self.optimizer.update(grads, value=value)

    def wrong(self, grads):
        self.optimizer.update(self.model, grads)  # ! nnx-optimizer-args
