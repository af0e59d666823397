"""nnx objects that traced functions capture."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from jax import lax

rngs = nnx.Rngs(0)
streams = nnx.Rngs(params=0, noise=1)
count = nnx.Variable(jnp.zeros(()))
table = {"noise": nnx.Rngs(0)}


class Model(nnx.Module):
    def __init__(self, rngs):
        self.dense = nnx.Linear(3, 3, rngs=rngs)
        self.scale = nnx.Param(jnp.ones(()))
        self.steps = 0
        self.rngs = rngs

    def __call__(self, x):
        return self.dense(x) + self.rngs.noise.normal(x.shape)


model = Model(rngs)
optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)


@jax.jit
def plain(x):
    return x + jax.random.normal(rngs(), x.shape)  # ! nnx-mutated-in-other-trace


@nnx.jit
def forked(x):
    streams_here = streams.fork()  # ! nnx-mutated-in-other-trace
    return x + jax.random.normal(streams_here.noise(), x.shape)


@nnx.jit
def makes_a_layer(x):
    return nnx.Linear(3, 3, rngs=rngs)(x)  # ! nnx-mutated-in-other-trace


@nnx.jit
def passed(x, rngs):
    return x + jax.random.normal(rngs.noise(), x.shape)


@jax.jit
def own(x):
    rngs = nnx.Rngs(0)
    return x + jax.random.normal(rngs.noise(), x.shape)


@jax.jit
def given_a_key(x, key):
    mine = nnx.Rngs(key)
    return x + jax.random.normal(mine(), x.shape)


def eager(x):
    count[...] += 1
    return x + jax.random.normal(rngs(), x.shape)


def noise(shape):
    return jax.random.normal(rngs.noise(), shape)  # ! nnx-mutated-in-other-trace


@jax.jit
def deeper(x):
    return x + noise(x.shape)


def drawn_from(given, shape):
    return jax.random.normal(given.noise(), shape)


@nnx.jit
def through_a_helper(x):
    return x + drawn_from(rngs, x.shape)  # ! nnx-mutated-in-other-trace


@nnx.jit
def helper_given(x, rngs):
    return x + drawn_from(rngs, x.shape)


def key_before(x):
    key = rngs()

    @jax.jit
    def step(x):
        return x + jax.random.normal(key, x.shape)

    return step(x)


@nnx.jit
def by_a_stream(x):
    return x + streams.noise.normal(x.shape)  # ! nnx-mutated-in-other-trace


@nnx.jit
def reads_a_stream(x):
    return x + jax.random.normal(streams.noise.key.get_value(), x.shape)


def apply_update(optimizer, model, grads):
    optimizer.update(model, grads)


@nnx.jit
def updates_by_a_helper(model, x):
    grads = nnx.grad(lambda m: m(x).sum())(model)
    apply_update(optimizer, model, grads)  # ! nnx-mutated-in-other-trace


def local(x):
    mine = nnx.Rngs(3)

    def loss(x):
        return (x * jax.random.normal(mine(), x.shape)).sum()  # ! nnx-mutated-in-other-trace

    return jax.grad(loss)(x)


@nnx.jit
def train_step(model, rngs: nnx.Rngs, x):
    key = rngs()

    def loss(model):
        return model.dense(x + jax.random.normal(key, x.shape)).sum()

    def forgets(model):
        return model.dense(x * rngs()).sum()  # ! nnx-mutated-in-other-trace

    return nnx.grad(loss)(model), nnx.grad(forgets)(model)


@nnx.jit
def helper_within(x):
    mine = nnx.Rngs(0)

    def draw(shape):
        return jax.random.normal(mine(), shape)

    return x + draw(x.shape)


@jax.jit
def scanned(x):
    mine = nnx.Rngs(0)

    def body(carry, _):
        return carry + jax.random.normal(mine(), carry.shape), None  # ! nnx-mutated-in-other-trace

    return lax.scan(body, x, None, length=3)[0]


@nnx.jit
def counts(x):
    count[...] += 1  # ! nnx-mutated-in-other-trace
    return x


@nnx.jit
def counts_by_value(x):
    count.value = count.value + 1  # ! nnx-mutated-in-other-trace
    return x + count.value


@nnx.jit
def scales(x):
    model.steps = 3  # ! nnx-mutated-in-other-trace
    return x


@nnx.jit
def scales_given(model, x):
    model.steps = 3
    model.scale[...] += 1
    return x


@nnx.jit
def updates(model, x):
    grads = nnx.grad(lambda m: m(x).sum())(model)
    optimizer.update(model, grads)  # ! nnx-mutated-in-other-trace


@nnx.jit
def updates_given(model, optimizer, x):
    grads = nnx.grad(lambda m: m(x).sum())(model)
    optimizer.update(model, grads)


@nnx.jit
def reads(x):
    return x * count.value + model.scale[...]


class Trainer:
    def __init__(self):
        self.rngs = nnx.Rngs(0)
        self.seen = 0

    def fit(self, x):
        @nnx.jit
        def step(x):
            return x + jax.random.normal(self.rngs.noise(), x.shape)  # ! nnx-mutated-in-other-trace

        self.seen += 1
        return step(x)

    def draw(self, x):
        return x + jax.random.normal(self.rngs.noise(), x.shape)


@nnx.jit
def accumulates(net, xs):
    def one(total, x):
        loss, grads = nnx.value_and_grad(lambda m: m(x).sum())(net)  # ! nnx-mutated-in-other-trace
        return jax.tree.map(jnp.add, total, grads), loss

    return lax.scan(one, jax.tree.map(jnp.zeros_like, nnx.state(net, nnx.Param)), xs)


@nnx.jit
def accumulates_one_by_one(net, xs):
    total = jax.tree.map(jnp.zeros_like, nnx.state(net, nnx.Param))
    for x in xs:
        total = jax.tree.map(jnp.add, total, nnx.grad(lambda m: m(x).sum())(net))
    return total


@nnx.jit
def accumulates_from_parts(net, xs):
    graph, params = nnx.split(net)

    def one(total, x):
        own = nnx.merge(graph, params)
        return jax.tree.map(jnp.add, total, nnx.grad(lambda m: m(x).sum())(own)), None

    return lax.scan(one, jax.tree.map(jnp.zeros_like, params), xs)


@nnx.jit
def of_plain_weights(weights, xs):
    def one(total, x):
        return total + nnx.grad(lambda w: (w * x).sum())(weights), None

    return lax.scan(one, jnp.zeros_like(weights), xs)
