"""Softmaxes, losses, draws and running sums of bfloat16 and float16."""

from dataclasses import dataclass
from typing import Any

import einops
import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import nnx
from flax.training.train_state import TrainState


@dataclass
class Config:
    mesh: Any = None
    dtype: Any = jnp.bfloat16


class Backbone(nn.Module):
    config: Config

    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(100, 8)(tokens).astype(self.config.dtype)
        return x + nn.Dense(8, dtype=self.config.dtype)(x)


class Head(nn.Module):
    config: Config

    def setup(self):
        self.body = nn.remat(Backbone)(self.config)
        self.lm_head = nn.remat(nn.Dense)(100, dtype=self.config.dtype)

    def __call__(self, tokens):
        return self.lm_head(self.body(tokens))


class Wide(nn.Module):
    """Parameters of float32 make the result float32."""

    @nn.compact
    def __call__(self, x):
        return nn.Dense(100)(x.astype(jnp.bfloat16))


model, wide = Head(Config(mesh=None)), Wide()


def cross_entropy(logits, labels):
    loss = optax.softmax_cross_entropy_with_integer_labels  # a name for the function
    return loss(logits, labels).mean()  # ! computed-in-half-precision


@jax.jit
def step(params, tokens, labels):
    def loss(params):
        logits = model.apply({"params": params}, tokens)
        return cross_entropy(logits[:, :-1], labels)

    return jax.grad(loss)(params)


@jax.jit
def sample(params, tokens, key):
    logits = einops.rearrange(model.apply({"params": params}, tokens), "b t v -> (b t) v")
    token = jax.random.categorical(key, logits / 0.7)  # ! computed-in-half-precision
    scores = jax.nn.log_softmax(logits / 0.7)  # ! computed-in-half-precision
    shares = jax.nn.softmax(logits)  # a note: shown with --all
    nucleus = jnp.cumsum(shares, axis=-1)  # ! computed-in-half-precision
    also = shares.cumsum(-1)  # ! computed-in-half-precision
    return token, scores, nucleus, also


@jax.jit
def as_one_should(params, tokens, key):
    logits = model.apply({"params": params}, tokens).astype(jnp.float32)
    token = jax.random.categorical(key, logits / 0.7)
    scores = jax.nn.log_softmax(wide.apply({"params": params}, tokens))
    nucleus = jnp.cumsum(jax.nn.softmax(logits).astype(jnp.bfloat16), axis=-1, dtype=jnp.float32)
    return token, scores, nucleus


@jax.jit
def promoted(x, table):
    """An operand of float32 makes the result float32; one that is not known may."""
    half = x.astype(jnp.bfloat16)
    scores = jax.nn.log_softmax(half * jnp.ones(3))
    return scores + jax.nn.log_softmax(half * table) + jnp.mean(half) + half.sum()


# Gradients that are added up in the carry of a loop.


def accumulate(state, batches):
    def micro(total, batch):
        grads = jax.grad(lambda p, b: jnp.sum(p["w"] * b))(state["params"], batch)
        total = jax.tree.map(lambda a, b: a + b, total, grads)  # ! computed-in-half-precision
        return total, None

    def cast(x):
        return jnp.zeros_like(x).astype(jnp.bfloat16)

    return jax.lax.scan(micro, jax.tree.map(cast, state["params"]), batches)


def accumulate_wide(state, batches):
    def micro(total, batch):
        grads = jax.grad(lambda p, b: jnp.sum(p["w"] * b))(state["params"], batch)
        return jax.tree.map(lambda a, b: a + b, total, grads), None

    return jax.lax.scan(micro, jax.tree.map(jnp.zeros_like, state["params"]), batches)


def count(xs):
    def body(i, carry):
        steps, x = carry
        return steps + 1, x * xs[i]  # ! computed-in-half-precision

    return jax.lax.fori_loop(0, 1000, body, (jnp.zeros((), jnp.float16), jnp.ones(3)))


def residual(x, layers):
    """What is added follows from the carry: a stream of activations, no sum."""

    def layer(x, w):
        return x + jnp.tanh(x @ w), None

    return jax.lax.scan(layer, x.astype(jnp.bfloat16), layers)


# Weights that the optimizer updates.


def begin(params):
    half = jax.tree.map(lambda p: p.astype(jnp.bfloat16), params)
    tx = optax.adamw(1e-4)
    return tx.init(half)  # ! computed-in-half-precision


def begin_wide(params):
    tx = optax.adamw(1e-4)
    state = tx.init(params)
    return state, jax.tree.map(lambda p: p.astype(jnp.bfloat16), params)


def begin_state(params):
    half = jax.tree.map(lambda p: p.astype(jnp.bfloat16), params)
    return TrainState.create(apply_fn=None, params=half, tx=optax.sgd(0.1))  # ! computed-in-half-precision


# Layers of nnx hold their parameters.


class Tokens(nnx.Module):
    def __init__(self, rngs: nnx.Rngs, dtype=jnp.bfloat16, param_dtype=jnp.float32):
        self.embed = nnx.Embed(100, 8, dtype=dtype, param_dtype=param_dtype, rngs=rngs)
        self.head = nnx.Linear(8, 100, dtype=dtype, param_dtype=param_dtype, rngs=rngs)
        self.wide = nnx.Linear(8, 100, param_dtype=param_dtype, rngs=rngs)

    def __call__(self, tokens):
        x = self.embed(tokens)
        self.embed.embedding[...] = self.embed.embedding[...] * self.head.kernel.mean()
        scores = jax.nn.log_softmax(self.head(x))  # ! computed-in-half-precision
        return scores, jax.nn.log_softmax(self.wide(x))


def optimizers():
    half = Tokens(nnx.Rngs(0), param_dtype=jnp.bfloat16)
    tx = optax.adamw(1e-4)
    first = nnx.Optimizer(half, tx, wrt=nnx.Param)  # ! computed-in-half-precision
    return first, nnx.Optimizer(Tokens(nnx.Rngs(0)), tx, wrt=nnx.Param)


def optimizer_of_adapters():
    half = Tokens(nnx.Rngs(0), param_dtype=jnp.bfloat16)
    return nnx.Optimizer(half, optax.adamw(1e-4), wrt=nnx.LoRAParam)


class Scores(eqx.Module):
    head: eqx.nn.Linear
    wide: eqx.nn.Linear

    def __init__(self, key, dtype=jnp.bfloat16):
        self.head = eqx.nn.Linear(8, 100, dtype=dtype, key=key)
        self.wide = eqx.nn.Linear(8, 100, key=key)

    def __call__(self, x):
        half = jax.vmap(self.head)(x.astype(jnp.bfloat16))
        scores = jax.nn.log_softmax(half)  # ! computed-in-half-precision
        return scores, jax.nn.log_softmax(jax.vmap(self.wide)(x))


class Tied(nn.Module):
    config: Config

    def setup(self):
        self.table = nn.Embed(100, 8, dtype=self.config.dtype)
        self.wide = nn.Embed(100, 8)

    def __call__(self, tokens):
        x = self.table(tokens)
        scores = jax.nn.log_softmax(self.table.attend(x))  # ! computed-in-half-precision
        return scores, jax.nn.log_softmax(self.wide.attend(x))


def of_tied(variables, tokens):
    return Tied(Config()).apply(variables, tokens)


class Normed(eqx.Module):
    """A norm of Equinox gives the type that it gets."""

    table: eqx.nn.Embedding
    norm: eqx.nn.LayerNorm

    def __init__(self, key, dtype):
        self.table = eqx.nn.Embedding(100, 8, dtype=dtype, key=key)
        self.norm = eqx.nn.LayerNorm(8)

    def __call__(self, token):
        x = self.norm(self.table(token))
        return jax.nn.log_softmax(x)  # ! computed-in-half-precision


def of_normed(tokens, key):
    return Normed(key, jnp.dtype("bfloat16"))(tokens[0])


class WithTargets(nn.Module):
    """What it does with an option is run, too."""

    @nn.compact
    def __call__(self, tokens, targets=None, wide=None):
        logits = nn.Dense(100, dtype=jnp.bfloat16)(tokens)
        loss = None
        if targets is not None:
            scores = jax.nn.log_softmax(logits)  # ! computed-in-half-precision
            loss = jnp.take_along_axis(scores, targets, -1).mean()
        if wide is not None:
            loss = jax.nn.log_softmax(logits.astype(jnp.float32))
        return logits, loss


def scores_of(x, labels=None):
    if labels is None:
        return x
    return jax.nn.log_softmax(x.astype(jnp.bfloat16))  # ! computed-in-half-precision


def _squares(weights, x):
    return jnp.mean((x @ weights["w"]).astype(jnp.float32) ** 2)


def gradients_by_name(weights, batches):
    def add(carry, batch):
        total, number = carry
        new = jax.grad(_squares)(weights, batch)
        return (jax.tree.map(jnp.add, total, new), number + 1), None  # ! computed-in-half-precision

    zeros = jax.tree.map(jnp.zeros_like, weights)
    (total, number), _ = jax.lax.scan(add, (zeros, 0), batches)
    return total, number


def gradients_of_a_wider_type(weights, batches):
    def add(total, batch):
        new = jax.grad(_squares)(weights, batch)
        return jax.tree.map(jnp.add, total, new), None

    zeros = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, jnp.float32), weights)
    return jax.lax.scan(add, zeros, batches)[0]


_half_weights = {"w": jnp.ones((3, 2), jnp.bfloat16), "b": jnp.zeros(2, jnp.bfloat16)}
_batches = jnp.ones((8, 4, 3), jnp.bfloat16)
_by_name = gradients_by_name(_half_weights, _batches)
_wider = gradients_of_a_wider_type(_half_weights, _batches)
def updated(tx, params, grads, state):
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state


class Gate(nn.Module):
    """The type to compute in is that of the weight, too."""

    width: int
    dtype: Any = jnp.bfloat16
    param_dtype: Any = jnp.bfloat16

    @nn.compact
    def __call__(self, x):
        ones, zeros = nn.initializers.ones_init(), nn.initializers.zeros_init()
        gate = self.param("gate", ones, (self.width,), self.dtype)  # ! computed-in-half-precision
        half = jnp.float16
        bias = self.param("bias", zeros, (self.width,), dtype=jnp.float16)  # ! computed-in-half-precision
        name = self.param("name", zeros, (self.width,), "bfloat16")  # ! computed-in-half-precision
        wide = self.param("wide", ones, (self.width,)).astype(self.dtype)
        named = self.param("named", ones, (self.width,), self.param_dtype)
        full = self.param("full", ones, (self.width,), jnp.float32)
        return (x * gate + bias + name) * wide * named * full.astype(half)


class Stored(nn.Module):
    """The type is for the weights of all layers: it is chosen."""

    dtype: Any = jnp.float32

    @nn.compact
    def __call__(self, x):
        x = nn.Dense(4, dtype=self.dtype, param_dtype=self.dtype)(x)
        return x * self.param("scale", nn.initializers.ones, (4,), self.dtype)
