"""Lists, tuples and whole numbers as operands."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import linen as nn
from jax import lax


def of_results(steps):
    losses = [jnp.ones(()) * i for i in range(steps)]
    return jnp.mean(losses)  # ! operand-refused


def count(x):
    return jnp.prod(x.shape)  # ! operand-refused


def whole(n: int = 3):
    return lax.rsqrt(n)  # ! operand-refused


def stacked(steps):
    losses = [jnp.ones(()) * i for i in range(steps)]
    return jnp.mean(jnp.stack(losses)) + jnp.asarray([1.0, 2.0]).mean()


def on_the_host(steps):
    return np.mean([float(i) for i in range(steps)])


def size(x):
    return x.size + jnp.concatenate([x, x]).size


def promoted(n: int = 3):
    return jnp.sqrt(n) + lax.rsqrt(float(n))


def of_the_caller(values):
    return jnp.sum(values)


wrong = of_results(3), count(jnp.ones((2, 3))), whole()
right = stacked(3), on_the_host(3), size(jnp.ones(3)), promoted(), jax.jit(of_the_caller)(1.0)


class Batch(NamedTuple):
    x: jax.Array
    y: jax.Array


def model(params, pair):
    return pair[0] @ params + pair[1]


def axes_of(tree, axis):
    return jax.tree.map(lambda _: axis, tree)


def mapped(params, x, y):
    jax.vmap(model, in_axes=(None, 0))(params, (x, y))
    jax.vmap(model, (None, (0, 1)))(params, (x, y.T))
    pairs = axes_of((x, y), 0)
    jax.vmap(lambda pair: model(params, pair), in_axes=(pairs,))((x, y))
    jax.vmap(lambda x, y, scale=1.0: x * y * scale, in_axes=(0, 0))(x, y, scale=2.0)
    jax.vmap(lambda pair: model(params, pair), in_axes=[0])((x, y))
    return jax.vmap(lambda pair: model(params, pair), in_axes=(0, 0))((x, y))  # ! operand-refused


@partial(jax.vmap, in_axes=(0, None))
def scored(example: Batch, weight):
    return (example.x - example.y) * weight


@jax.jit
def all_scored(x, weight):
    scored(Batch(x, x * 2), weight)
    return scored(Batch(x, weight), weight)  # ! operand-refused


def of_known_sizes(key, n=6):
    x, params = jnp.ones((n, 3)), jnp.ones(3)
    y = jnp.zeros(n)
    mapped(params, x, y)
    all_scored(jnp.ones(4), jnp.ones(2))
    rows, columns = jnp.ones((2, 5)), jnp.ones((5, 3))
    jax.vmap(jnp.dot, in_axes=(1, 0))(rows, columns)
    jax.vmap(jnp.dot, in_axes=(0, 1))(rows, columns)  # ! operand-refused
    keys = jax.random.split(key, n)
    jax.vmap(jax.random.permutation)(keys, x)
    return jax.vmap(jax.random.permutation)(jax.random.split(key), x)  # ! operand-refused


drawn = of_known_sizes(jax.random.key(0))


class Flow:
    @jax.jit
    @partial(jax.vmap, in_axes=(None, 0))
    def forward(self, x):
        return x * 2

    @partial(jax.vmap, in_axes=(None, 0, 0))
    def both(self, x, y=1.0):
        return x * y


class Head(nn.Module):
    classes: int

    @nn.compact
    def __call__(self, x):
        return nn.Dense(self.classes)(nn.LayerNorm()(x))


def logits_of(params, x):
    return Head(5).apply(params, x)


def sums(params, key):
    x = jax.random.normal(key, (4, 3))
    logits = logits_of(params, x)
    biased = logits + jnp.ones(5)
    wrong = logits + jnp.ones(4)  # ! operand-refused
    doubled = logits * jnp.ones((4, 1))
    product = x @ jnp.ones((3, 2))
    turned = x @ jnp.ones((4, 2))  # ! operand-refused
    return biased, wrong, doubled, product, turned


def vectors(key):
    points = jax.random.multivariate_normal(key, jnp.zeros(2), jnp.eye(2), shape=(6,))
    return points + jnp.ones((6, 2))


added = sums(Head(5).init(jax.random.key(0), jnp.ones((4, 3))), jax.random.key(1))
drawn = vectors(jax.random.key(2))


@jax.pmap
def rows_of(shard, numbers):
    return jnp.take(shard, numbers, axis=0)


def from_a_shard_for_each_device(parts, numbers):
    shards = jax.device_put_sharded([jnp.ones((8, 2)) for _ in parts], jax.local_devices())
    return rows_of(shards, numbers)
