"""Which trees `apply` of a linen module is given."""

from functools import partial

import flax.core
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
import pytest
from flax.training import train_state
from flax.training.train_state import TrainState


class Model(nn.Module):
    width: int = 2

    @nn.compact
    def __call__(self, x):
        return nn.Dense(self.width)(x)


class Wrapped:
    """Adds the dict itself."""

    def __init__(self, model):
        self.model = model

    def apply(self, params, x):
        return self.model.apply({"params": params}, x)


class OwnApply(nn.Module):
    def apply(self, params, x):
        return super().apply({"params": params}, x)


class State(train_state.TrainState):
    batch_stats: dict


class Trainer:
    def __init__(self, key, x):
        self.net = Model()
        self.params = self.net.init(key, x)["params"]

    def predict(self, x):
        return self.net.apply(self.params, x)  # ! linen-apply-params

    def right(self, x):
        return self.net.apply({"params": self.params}, x)


def bare(key, x):
    model = Model()
    variables = model.init(key, x)
    params = variables["params"]
    model.apply(variables["params"], x)  # ! linen-apply-params
    model.apply(variables=params, x=x)  # ! linen-apply-params
    moved = jax.tree.map(lambda leaf: leaf * 2, params)
    model.apply(jax.device_put(moved), x)  # ! linen-apply-params
    stats = flax.core.freeze(variables)["batch_stats"]
    return model.apply(stats, x)  # ! linen-apply-params


def wrapped_once(key, x):
    model = Model()
    variables = model.init(key, x)
    params = variables["params"]
    model.apply(variables, x)
    model.apply({"params": params}, x)
    model.apply({"params": variables["params"], "batch_stats": variables["batch_stats"]}, x)
    model.apply(flax.core.freeze({"params": params}), x)
    model.apply({**variables, "cache": {}}, x)
    nn.Dense(3).apply({"params": params["Dense_0"]}, x)
    return Wrapped(model).apply(params, x)


def nested(key, x):
    model = Model()
    params = model.init(key, x)
    model.apply({"params": params}, x)  # ! linen-apply-params
    model.apply({"params": params, "batch_stats": {}}, x)  # ! linen-apply-params
    variables = {"params": model.init(key, x)}
    return model.apply(variables, x)  # ! linen-apply-params


def own_apply(key, x):
    model = OwnApply()
    params = model.init(key, x)["params"]
    return model.apply(params, x)


def forward(net, weights, x):
    return net.apply(weights, x)  # ! linen-apply-params


def through_a_helper(key, x):
    net = Model()
    return forward(net, net.init(key, x)["params"], x)


def either(net, weights, x):
    return net.apply(weights, x)  # ! linen-apply-params


def both_ways(key, x):
    net = Model()
    variables = net.init(key, x)
    either(net, variables, x)
    return either(net, variables["params"], x)


def asked(key, x, bare):
    model = Model()
    params = model.init(key, x)
    if bare:
        params = params["params"]
    if "params" in params:
        return model.apply(params, x)
    return model.apply({"params": params}, x)


def trained(key, x):
    model = Model()
    params = model.init(key, x)["params"]
    tx = optax.adam(1e-3)
    state = tx.init(params)

    def loss(weights):
        return model.apply(weights, x).mean()  # ! linen-apply-params

    def right(weights):
        return model.apply({"params": weights}, x).mean()

    for _ in range(10):
        grads = jax.grad(loss)(params)
        grads = jax.grad(right)(params)
        updates, state = tx.update(grads, state)
        params = optax.apply_updates(params, updates)
    return model.apply(params, x)  # ! linen-apply-params


def with_state(key, x):
    model = Model()
    variables = model.init(key, x)
    state = State.create(
        apply_fn=model.apply, params=variables["params"], tx=optax.sgd(0.1), batch_stats={}
    )
    state.apply_fn({"params": state.params}, x)
    return state.apply_fn(state.params, x)  # ! linen-apply-params


def with_flax_state(key, x):
    model = Model()
    state = TrainState.create(apply_fn=model.apply, params=model.init(key, x), tx=optax.sgd(0.1))

    @jax.jit
    def step(state, x):
        def loss(params):
            return state.apply_fn({"params": params}, x).mean()  # ! linen-apply-params

        return state.apply_gradients(grads=jax.grad(loss)(state.params))

    state.apply_fn(state.params, x)
    return step(state, x)


def unknown(model, loaded, x):
    model.apply(loaded["params"], x)
    return Model().apply(loaded["params"], x)


def wants_to_fail(key, x):
    model = Model()
    variables = model.init(key, x)
    with pytest.raises(ValueError):
        model.apply({"params": variables}, x)
    try:
        return model.apply(variables["params"], jnp.ones(3))
    except ValueError:
        return None


layers = nn.Sequential([nn.Dense(8), nn.tanh, nn.Dense(2)])


def loss_of_layers(params, x):
    return layers.apply(params, x).sum()  # ! linen-apply-params


@jax.jit
def step_of_layers(params, x):
    return jax.grad(loss_of_layers)(params, x)


def fit_layers(x):
    params = layers.init(jax.random.key(0), x)["params"]
    return step_of_layers(params, x)


def loss_of_variables(variables, x):
    return layers.apply(variables, x).sum()


def fit_variables(x):
    variables = layers.init(jax.random.key(0), x)
    return jax.grad(loss_of_variables)(variables, x)


@jax.jit
def look(state: State, x):
    return state.apply_fn(state.params, x)  # ! linen-apply-params


def trained_state(key, x, tx):
    model = Model()
    variables = model.init(key, x)
    return State.create(
        apply_fn=model.apply,
        params=variables["params"],
        tx=tx,
        batch_stats=variables["batch_stats"],
    )


def look_at_each(key, xs, tx, step):
    state = trained_state(key, xs[0], tx)
    for x in xs:
        look(state, x)
        state = step(state, x)


class Block(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        norm = partial(nn.BatchNorm, use_running_average=not train, momentum=0.9)
        for width in (4, 8):
            x = nn.relu(norm()(nn.Dense(width)(x)))
        return x


class Optional(nn.Module):
    normed: bool = False

    @nn.compact
    def __call__(self, x):
        if self.normed:
            x = nn.BatchNorm(use_running_average=True)(x)
        return nn.Dense(2)(x)


@jax.jit
def predicted(params, stats, x):
    own = {"params": params}
    own["batch_stats"] = stats
    Block().apply(own, x, train=False)
    Block().apply({"params": params, **stats}, x, train=False)
    y, made = Block().apply({"params": params}, x, train=True, mutable=["batch_stats"])
    Optional().apply({"params": params}, x)
    Optional(normed=True).apply({"params": params}, x)  # ! linen-apply-params
    return Block().apply({"params": params}, x, train=False), y, made  # ! linen-apply-params


class Evaluator:
    def __init__(self, x):
        self.model = Block()
        self.params = self.model.init(jax.random.key(0), x, train=False)["params"]

    def score(self, params, x):
        variables = dict(params=params)
        return self.model.apply(variables, x, train=False).mean()  # ! linen-apply-params
