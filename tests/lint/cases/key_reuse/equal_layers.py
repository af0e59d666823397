"""Layers that make their own key of a number: those of one network begin equal."""

import jax
from flax import nnx


class Norm(nnx.Module):
    def __init__(self, size):
        key = jax.random.key(101)
        self.w = nnx.Param(jax.random.normal(key, (size,)))

    def __call__(self, x):
        return x * self.w[...]


class Mlp(nnx.Module):
    def __init__(self, size):
        first, second = jax.random.split(jax.random.key(0))
        self.a = nnx.Param(jax.random.normal(first, (size, size)))
        self.b = nnx.Param(jax.random.normal(second, (size, size)))

    def __call__(self, x):
        return x @ self.a[...] @ self.b[...]


class Block(nnx.Module):
    def __init__(self, size):
        self.before = Norm(size)
        self.after = Norm(size)  # ! key-reuse
        self.mlp = Mlp(size)

    def __call__(self, x):
        return self.mlp(self.after(self.before(x)))


class Net(nnx.Module):
    def __init__(self, size, depth):
        self.blocks = nnx.List([Block(size) for _ in range(depth)])  # ! key-reuse

    def __call__(self, x):
        for block in self.blocks:
            x = block(x)
        return x


class Seeded(nnx.Module):
    """Its caller says of which number."""

    def __init__(self, size, seed):
        self.w = nnx.Param(jax.random.normal(jax.random.key(seed), (size,)))

    def __call__(self, x):
        return x * self.w[...]


class Pair(nnx.Module):
    def __init__(self, size):
        self.first = Seeded(size, 1)
        self.second = Seeded(size, 2)
        self.mlp = Mlp(size)

    def __call__(self, x):
        return self.mlp(self.second(self.first(x)))


def compare(size, depths):
    """Each network starts from the same numbers: that may be meant."""
    twins = Net(size, 1), Net(size, 1)
    return twins, [Net(size, depth) for depth in depths]


class Streams(nnx.Module):
    """Each call of a stream gives another key."""

    def __init__(self, size, rngs: nnx.Rngs):
        key = rngs.params()
        self.query = nnx.Param(jax.random.normal(key, (size, size)))
        self.key = nnx.Param(jax.random.normal(key, (size, size)))  # ! key-reuse
        self.value = nnx.Param(jax.random.normal(rngs.params(), (size, size)))
        self.out = nnx.Param(jax.random.normal(rngs(), (size, size)))

    def __call__(self, x):
        return x @ self.query[...] @ self.key[...] @ self.value[...] @ self.out[...]
