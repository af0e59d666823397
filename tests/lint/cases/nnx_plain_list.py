"""Containers of modules in nnx modules."""

import flax
import flax.linen as nn
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs):
        self.dense = nnx.Linear(2, 2, rngs=rngs)


class Blocks(nnx.Module):
    def __init__(self, depth, rngs):
        self.blocks = [Block(rngs) for _ in range(depth)]  # ! nnx-plain-list


class Heads(Blocks):
    def __init__(self, names, rngs):
        self.heads = {name: nnx.Linear(2, 1, rngs=rngs) for name in names}  # ! nnx-plain-list
        self.two = (Block(rngs), Block(rngs))  # ! nnx-plain-list
        self.scales = [jnp.ones(3), 2.0]  # ! nnx-plain-list
        self.weights = {"w": nnx.Param(jnp.ones(3))}  # ! nnx-plain-list


class Grown(nnx.Module):
    def __init__(self, depth, rngs):
        self.layers = []  # ! nnx-plain-list
        for _ in range(depth):
            self.layers.append(nnx.Linear(2, 2, rngs=rngs))
        norms = []
        for _ in range(depth):
            norms.append(nnx.LayerNorm(2, rngs=rngs))
        self.norms = norms  # ! nnx-plain-list
        self.heads = {}  # ! nnx-plain-list
        self.heads["a"] = nnx.Linear(2, 1, rngs=rngs)


class Wrapped(nnx.Module):
    def __init__(self, depth, rngs):
        self.layers = nnx.List([Block(rngs) for _ in range(depth)])
        self.heads = nnx.Dict({"a": nnx.Linear(2, 1, rngs=rngs)})
        self.both = nnx.data([Block(rngs)])
        self.chain = nnx.Sequential(*[Block(rngs) for _ in range(depth)])
        grown = nnx.List([])
        grown.append(Block(rngs))
        self.grown = grown


class WrappedLater(nnx.Module):
    def __init__(self, depth, rngs):
        self.layers = []
        for _ in range(depth):
            self.layers.append(Block(rngs))
        self.layers = nnx.data(self.layers)
        self.last = nnx.data(None)
        if depth:
            self.last = [Block(rngs)]


class SetToNone(nnx.Module):
    def __init__(self, rngs):
        self.blocks = None
        self.blocks = [Block(rngs)]  # ! nnx-plain-list


class Static(nnx.Module):
    def __init__(self, depth):
        self.names = ["a", "b"]
        self.sizes = [2 for _ in range(depth)]
        self.activations = [nnx.relu, nnx.gelu]
        self.inits = {"kernel": nnx.initializers.zeros}


class Annotated(nnx.Module):
    layers: list = nnx.data()

    def __init__(self, rngs):
        self.layers = [Block(rngs)]


class NoPytree(nnx.Module, pytree=False):
    def __init__(self, rngs):
        self.layers = [Block(rngs)]


class Careful(nnx.Module):
    def __init__(self, rngs):
        if hasattr(nnx, "List"):
            self.layers = nnx.List([Block(rngs)])
        else:
            self.layers = [Block(rngs)]
        if flax.__version__ < "0.12":
            self.more = [Block(rngs)]


class Linen(nn.Module):
    def setup(self):
        self.layers = [nn.Dense(2) for _ in range(3)]


class Plain:
    def __init__(self, rngs):
        self.models = [Block(rngs), Block(rngs)]


class Local(nnx.Module):
    def __init__(self, rngs):
        layers = [Block(rngs) for _ in range(2)]
        self.first = layers[0]
        self.count = len(layers)


class OfNames(nnx.Module):
    def __init__(self, count, rngs):
        first = nnx.Linear(2, 2, rngs=rngs)
        self.layers = []  # ! nnx-plain-list
        self.layers.append(first)
        for _ in range(count):
            layer = nnx.Linear(2, 2, rngs=rngs)
            self.layers.append(layer)


class OfOtherNames(nnx.Module):
    def __init__(self, sizes, rngs):
        size = len(sizes)
        self.sizes = []
        self.sizes.append(size)
        self.layers = nnx.List([])
        layer = nnx.Linear(size, 2, rngs=rngs)
        self.layers.append(layer)
