import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
from flax import nnx


class Mlp(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(4)(x)


class Net(nn.Module):
    remat: bool = True

    @nn.compact
    def __call__(self, x):
        layer = Mlp
        if self.remat:
            layer = nn.remat(layer, prevent_cse=False)  # ! remat-undone
        for _ in range(4):
            x = layer()(x)
        return x


class Whole(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.checkpoint(Mlp)()(x)


def block(w, x):
    return jnp.tanh(x @ w)


def loss(ws, x):
    f = jax.checkpoint(block, prevent_cse=False)  # ! remat-undone
    for w in ws:
        x = f(w, x)
    return x.sum()


@functools.partial(jax.remat, prevent_cse=False)  # ! remat-undone
def other(w, x):
    return jnp.sin(x @ w)


@functools.partial(nnx.remat, prevent_cse=True)
def barred(w, x):
    return jnp.sin(x @ w)


def configured(f, is_scanned):
    return jax.checkpoint(f, prevent_cse=not is_scanned)


def plain(f):
    return jax.checkpoint(f)


def own(checkpoint, f):
    return checkpoint(f, prevent_cse=False)
