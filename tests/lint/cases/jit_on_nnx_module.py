"""nnx objects that are given to functions under `jax.jit`."""

from functools import partial

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from jax import jit


class Counter(nnx.Module):
    def __init__(self):
        self.count = nnx.Variable(jnp.zeros(()))


class Net(nnx.Module):
    def __init__(self, rngs):
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.dense = nnx.Linear(2, 1, rngs=rngs)

    def __call__(self, x):
        return self.dense(self.norm(x))


class Plain(nnx.Module):
    def __init__(self, rngs):
        self.dense = nnx.Linear(2, 1, rngs=rngs)

    def __call__(self, x):
        return self.dense(x)


def loss_of(model, x):
    return (model(x) ** 2).mean()


@jit
def counted(counter: Counter, x):
    counter.count[...] = counter.count[...] + 1  # ! jit-on-nnx-module
    return x


@partial(jax.jit, donate_argnums=1)
def trained(model: nnx.Module, optimizer: nnx.Optimizer, x):
    loss, grads = nnx.value_and_grad(loss_of)(model, x)
    optimizer.update(model, grads)  # ! jit-on-nnx-module
    return loss


def step(optimizer, model, x):
    optimizer.update(model, nnx.grad(loss_of)(model, x))  # ! jit-on-nnx-module


def by_a_call(loader):
    model = Plain(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    fast = jax.jit(step)
    for x in loader:
        fast(optimizer, model, x)


@jax.jit
def statistics(model: Net, x):
    return nnx.value_and_grad(loss_of)(model, x)  # ! jit-on-nnx-module


@nnx.jit
def written_back(model: Net, optimizer: nnx.Optimizer, x):
    loss, grads = nnx.value_and_grad(loss_of)(model, x)
    optimizer.update(model, grads)
    return loss


@jax.jit
def handed_back(model: Net, optimizer: nnx.Optimizer, x):
    loss, grads = nnx.value_and_grad(loss_of)(model, x)
    optimizer.update(model, grads)
    return model, optimizer, loss


@jax.jit
def states_handed_back(model: Net, optimizer: nnx.Optimizer, x):
    loss, grads = nnx.value_and_grad(loss_of)(model, x)
    optimizer.update(model, grads)
    return nnx.state(model), nnx.state(optimizer), loss


@jax.jit
def only_read(model: Net, x):
    return model(x)


@jax.jit
def gradient_alone(model: Plain, x):
    return nnx.grad(loss_of)(model, x)


@jax.jit
def in_evaluation(model: Net, x):
    model.eval()
    return nnx.grad(loss_of)(model, x)


def eager(model: Net, optimizer: nnx.Optimizer, x):
    optimizer.update(model, nnx.grad(loss_of)(model, x))


@jax.jit
def merged(graph, state, x):
    model, optimizer = nnx.merge(graph, state)
    optimizer.update(model, nnx.grad(loss_of)(model, x))
    return nnx.state((model, optimizer))


@jax.jit
def optax_alone(params, state, grads):
    updates, state = optax.adam(1e-3).update(grads, state, params)
    return optax.apply_updates(params, updates), state


class Meter(nnx.Module):
    def __init__(self):
        self.total = nnx.Variable(jnp.zeros(()))

    def add(self, x):
        self.total[...] = self.total[...] + x.sum()

    def mean(self, count):
        total = self.total[...]
        return total / count


@jax.jit
def recorded(meter: Meter, x):
    meter.add(x)  # ! jit-on-nnx-module
    return x.mean()


@nnx.jit
def recorded_well(meter: Meter, x):
    meter.add(x)
    return x.mean()


@jax.jit
def only_read(meter: Meter, x):
    return meter.mean(x.size)


@jax.jit
def recorded_and_returned(meter: Meter, x):
    meter.add(x)
    return meter


@nnx.jit
def inner_step(model, optimizer: nnx.Optimizer, x):
    grads = nnx.grad(lambda m: m(x).sum())(model)
    optimizer.update(model, grads)


@jax.jit
def outer_step(model: nnx.Module, optimizer: nnx.Optimizer, x):
    inner_step(model, optimizer, x)  # ! jit-on-nnx-module


@jax.jit
def outer_score(model: nnx.Module, x):
    return inner_score(model, x)


@nnx.jit
def inner_score(model, x):
    return model(x).sum()


@jax.jit
def step_that_nobody_calls(model, optimizer, x):
    loss, grads = nnx.value_and_grad(loss_of)(model, x)
    optimizer.update(model, grads)  # ! jit-on-nnx-module
    return loss


@jax.jit
def step_with_a_keyword(net, opt, x):
    opt.update(net, grads=nnx.grad(loss_of)(net, x))  # ! jit-on-nnx-module


@jax.jit
def gradients_come_first_in_optax(model, tx, state, x):
    grads = nnx.grad(loss_of)(model, x)
    updates, state = tx.update(grads, state, model)
    return updates, state


@jax.jit
def a_dictionary_of_results(model, results, x):
    loss, grads = nnx.value_and_grad(loss_of)(model, x)
    results.update(model=model, grads=grads, loss=loss)
    return results


@nnx.jit
def step_of_nnx_that_nobody_calls(model, optimizer, x):
    optimizer.update(model, nnx.grad(loss_of)(model, x))


class Count(nnx.Variable):
    pass


class Norm(nnx.Module):
    def __init__(self, dim):
        self.count = Count(jnp.array(0.0))
        self.mean = nnx.BatchStat(jnp.zeros(dim))

    def __call__(self, x, update: bool = False):
        if update:
            self.mean[...] = 0.9 * self.mean[...] + 0.1 * x.mean(0)
            self.count[...] += 1
        return x - self.mean[...]


class Normed(nnx.Module):
    def __init__(self, rngs):
        self.norm = Norm(3)
        self.out = nnx.Linear(3, 1, rngs=rngs)

    def __call__(self, x, train=False):
        return self.out(self.norm(x, train))


class Always(nnx.Module):
    def __init__(self):
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x):
        self.calls[...] = self.calls[...] + 1
        return x


@jax.jit
def observe(model: Normed, x):
    return model(x, train=True)  # ! jit-on-nnx-module


@jax.jit
def predict(model: Normed, x):
    return model(x, train=False)


@jax.jit
def predict_too(model: Normed, x):
    return model(x)


@nnx.jit
def kept(model: Normed, x):
    return model(x, train=True)


@jax.jit
def counted(model: Always, x):
    return model(x)  # ! jit-on-nnx-module


@jax.jit
def given_back(model: Normed, x):
    y = model(x, train=True)
    return y, nnx.state(model)


normed = Normed(nnx.Rngs(0))
out = [f(normed, jnp.ones((4, 3))) for f in (observe, predict, predict_too, kept)]


class Block(nnx.Module):
    def __init__(self, rngs):
        self.dense = nnx.Linear(4, 8, rngs=rngs)
        self.norm = nnx.BatchNorm(8, rngs=rngs)

    def __call__(self, x):
        return self.norm(self.dense(x))


class Noisy(nnx.Module):
    def __init__(self, rngs):
        self.blocks = [Block(rngs), Block(rngs)]
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(x)


class Layered(nnx.Module):
    def __init__(self, rngs):
        self.dense = nnx.Linear(4, 8, rngs=rngs)
        self.norm = nnx.LayerNorm(8, rngs=rngs)

    def __call__(self, x):
        return self.norm(self.dense(x))


@jax.jit
def whole_forward(model, x):
    return model(x).sum()  # ! jit-on-nnx-module


@partial(jax.jit, static_argnames="scale")
def scaled(model, x, scale=1.0):
    return scale * model(x).sum()  # ! jit-on-nnx-module


@jax.jit
def noisy(model, x):
    return model(x)  # ! jit-on-nnx-module


@jax.jit
def evaluated(model, x):
    return model(x).sum()


@jax.jit
def evaluated_by_argument(model, x):
    return model.norm(model.dense(x), use_running_average=True).sum()


@jax.jit
def without_state(model, x):
    return model(x).sum()


@jax.jit
def returned_after(model, x):
    y = model(x)
    return model, y.sum()


@jax.jit
def split_after(model, x):
    y = model(x)
    _, state = nnx.split(model)
    return state, y.sum()


@nnx.jit
def by_nnx(model, x):
    return model(x).sum()


@jax.jit
def made_inside(x):
    return Block(nnx.Rngs(0))(x).sum()


def use_of_layers_with_state():
    x = jnp.ones((2, 4))
    whole_forward(Block(nnx.Rngs(0)), x)
    scaled(Block(nnx.Rngs(0)), x, scale=2.0)
    noisy(Noisy(nnx.Rngs(0)), x)
    still = Block(nnx.Rngs(0))
    still.eval()
    evaluated(still, x)
    evaluated_by_argument(Block(nnx.Rngs(0)), x)
    without_state(Layered(nnx.Rngs(0)), x)
    model = Block(nnx.Rngs(0))
    model, _ = returned_after(model, x)
    state, _ = split_after(model, x)
    nnx.update(model, state)
    by_nnx(model, x)
    made_inside(x)
    jax.jit(lambda model, x: model(x))(Block(nnx.Rngs(0)), x)  # ! jit-on-nnx-module


use_of_layers_with_state()


@nnx.jit
def in_a_pmap(model, x):
    return model(x).sum()


on_each_device = nnx.pmap(in_a_pmap, in_axes=(None, 0))
on_each_device(Block(nnx.Rngs(0)), jnp.ones((1, 2, 4)))
