from functools import partial

import equinox as eqx
import flax.linen as nn
import haiku as hk
import jax
import jax.numpy as jnp
from flax import linen, nnx


class Model(nn.Module):
    emb_dim: int
    n_heads: int
    dropout: float
    dtype: jnp.dtype = jnp.float32

    def setup(self):
        self.norm = nn.LayerNorm(self.emb_dim)  # ! layer-argument-misplaced
        self.other = nn.RMSNorm(512)  # ! layer-argument-misplaced
        self.third = nn.LayerNorm()
        self.fourth = nn.LayerNorm(1e-5)
        self.fifth = nn.LayerNorm(1e-5, self.dtype)
        self.sixth = nn.LayerNorm(epsilon=1e-5)

    @nn.compact
    def __call__(self, x, train, deterministic):
        x = nn.Dense(8, self.emb_dim)(x)  # ! layer-argument-misplaced
        x = nn.Dense(x.shape[-1], 4 * x.shape[-1])(x)  # ! layer-argument-misplaced
        x = nn.Dense(self.emb_dim, False)(x)
        x = nn.Dense(self.emb_dim, use_bias=False)(x)
        x = nn.Dense(self.emb_dim * 4)(x)
        x = nn.BatchNorm(self.emb_dim)(x)  # ! layer-argument-misplaced
        x = nn.BatchNorm(64, use_running_average=not train)(x)  # ! layer-argument-misplaced
        x = nn.BatchNorm(not train)(x)
        x = nn.BatchNorm(0.9)(x)  # ! layer-argument-misplaced
        x = nn.BatchNorm(not train, -1, 0.9)(x)
        x = nn.GroupNorm(8, self.emb_dim)(x)  # ! layer-argument-misplaced
        x = nn.GroupNorm(8)(x)
        x = nn.GroupNorm(None, 16)(x)
        x = nn.Conv(16, 32, 3)(x)  # ! layer-argument-misplaced
        x = linen.Conv(16, 32, (3, 3))(x)  # ! layer-argument-misplaced
        x = nn.Conv(16, (3, 3), (2, 2))(x)
        x = nn.Conv(32, self.kernel_size, 2)(x)
        x = nn.Dropout(self.dropout, not train)(x)  # ! layer-argument-misplaced
        x = nn.Dropout(self.dropout, deterministic)(x)  # ! layer-argument-misplaced
        x = nn.Dropout(self.dropout, (1,), deterministic)(x)
        x = nn.Dropout(self.dropout)(x, deterministic)
        x = nn.SelfAttention(self.n_heads, self.emb_dim)(x)  # ! layer-argument-misplaced
        x = nn.SelfAttention(self.n_heads, self.dtype)(x)
        x = nn.Embed(self.emb_dim, self.vocab_size)(x)  # ! layer-argument-misplaced
        return nn.Embed(self.vocab_size, self.emb_dim)(x)


def by_other_names(config, rate):
    width = config["hidden_size"]
    a = nn.LayerNorm(width)  # ! layer-argument-misplaced
    b = nn.Dropout(config.embed_dim)  # ! layer-argument-misplaced
    c = nn.Dropout(rate)
    d = nn.Dropout(1)
    e = nn.DenseGeneral(8, 64)  # ! layer-argument-misplaced
    f = nn.DenseGeneral(8, -1)
    return a, b, c, d, e, f


def of_nnx(width, groups, heads, rngs):
    a = nnx.LayerNorm(width, rngs=rngs)
    b = nnx.Linear(width, 8, rngs)  # ! layer-argument-misplaced
    c = nnx.Linear(width, 8, rngs=rngs)
    d = nnx.GroupNorm(groups, width, rngs=rngs)  # ! layer-argument-misplaced
    e = nnx.GroupNorm(width, groups, rngs=rngs)
    f = nnx.GroupNorm(32, 64, rngs=rngs)  # ! layer-argument-misplaced
    g = nnx.GroupNorm(64, 32, rngs=rngs)
    h = nnx.MultiHeadAttention(512, 8, rngs=rngs)  # ! layer-argument-misplaced
    i = nnx.MultiHeadAttention(heads, width, rngs=rngs)
    j = nnx.MultiHeadAttention(width, heads, rngs=rngs)  # ! layer-argument-misplaced
    k = nnx.Dropout(0.1, rngs)  # ! layer-argument-misplaced
    l = nnx.Dropout(0.1, rngs=rngs)
    return a, b, c, d, e, f, g, h, i, j, k, l


def of_equinox(width, heads, key):
    a = eqx.nn.LayerNorm(width, width)  # ! layer-argument-misplaced
    b = eqx.nn.LayerNorm(width)
    c = eqx.nn.GroupNorm(8, width)
    d = eqx.nn.Linear(width, 8, key=key)
    e = eqx.nn.Linear(width, 8, False, key=key)
    f = eqx.nn.MultiheadAttention(width, heads, key=key)  # ! layer-argument-misplaced
    g = eqx.nn.Conv2d(3, 16, 3, key=key)
    return a, b, c, d, e, f, g


def of_haiku(width):
    a = hk.Linear(width, 2 * width)  # ! layer-argument-misplaced
    b = hk.Linear(width, False)
    c = hk.LayerNorm(256)  # ! layer-argument-misplaced
    d = hk.LayerNorm(-1, True, True)
    return a, b, c, d


def own(Dense, width):
    return Dense(8, width)


def unknown(x, y, *args):
    return nn.LayerNorm(x), nn.Dense(x, y), nn.Dense(*args), nn.Conv(x, y, 3)


def norms_with_names(dtype):
    return nn.LayerNorm(epsilon=1e-5), nn.LayerNorm(1e-5, dtype), nn.RMSNorm(1e-6)


def rates(dropout, rate_of_drop, p):
    return nn.Dropout(dropout), nn.Dropout(rate_of_drop), nn.Dropout(p), eqx.nn.Dropout(p, False)


def no_module(width):
    layers = {"LayerNorm": nn.LayerNorm}
    return layers["Other"](width)


class Pooled(nnx.Module):
    def __init__(self, rngs):
        self.stem = nnx.Conv(3, 32, kernel_size=3, strides=2, rngs=rngs)  # ! layer-argument-misplaced
        self.pool = partial(nnx.avg_pool, window_shape=(2, 2), strides=(2, 2))

    def __call__(self, x):
        return self.pool(self.stem(x))


class Squares(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.Conv(8, (3, 3))(x)
        x = nn.Conv(8, kernel_size=1)(x)  # the same as a window of one by one
        return nn.Conv(8, kernel_size=5)(x)  # ! layer-argument-misplaced


class OfSignals(nnx.Module):
    def __init__(self, rngs):
        self.stem = nnx.Conv(3, 32, kernel_size=3, rngs=rngs)
        self.next = nnx.Conv(32, 32, kernel_size=(3,), rngs=rngs)

    def __call__(self, x):
        return nnx.avg_pool(self.next(self.stem(x)), window_shape=(2,))


class Column(nn.Module):
    width: int = 3

    @nn.compact
    def __call__(self, x):
        return nn.Conv(8, self.width)(x)  # ! layer-argument-misplaced


class OfSequences(nn.Module):
    emb_dim: int = 8

    @nn.compact
    def __call__(self, x):
        x = nn.Conv(self.emb_dim, 3, 2)(x)
        return nn.Conv(8, kernel_size=3)(x)


def of_images_and_signals(images_of=(2, 28, 28, 1)):
    params = Column().init(jax.random.key(0), jnp.ones((2, 28, 28, 1)))
    Column().apply(params, jnp.ones((2, 28, 28, 1)))
    signals = jnp.ones((2, 100, 8))
    return OfSequences().apply(OfSequences().init(jax.random.key(0), signals), signals)
