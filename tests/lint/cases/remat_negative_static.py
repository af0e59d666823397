"""Static arguments of Flax's `remat`, by negative numbers."""

import functools
from functools import partial

import flax.linen as nn
import jax
import pytest
from flax import linen, nnx
from flax.linen import checkpoint, remat

LAST = (-1,)
SECOND = (2,)


class Block(nn.Module):
    @nn.compact
    def __call__(self, x, mask, train=False):
        return nn.Dropout(0.1)(x * mask, deterministic=not train)


class Open(nn.Module):
    @nn.compact
    def __call__(self, x, *rest, train):
        return nn.Dropout(0.1)(x, deterministic=not train)


last = nn.remat(Block, static_argnums=(-1,))  # ! remat-negative-static
alone = nn.remat(Block, static_argnums=-1)  # ! remat-negative-static
called = linen.checkpoint(Block, static_argnums=(-1,))  # ! remat-negative-static
imported = remat(Block, prevent_cse=False, static_argnums=(-1,))  # ! remat-negative-static
other = checkpoint(Block, static_argnums=(1, -1))  # ! remat-negative-static
by_name = nn.remat(Block, static_argnums=LAST)  # ! remat-negative-static
no_position = nn.remat(Open, static_argnums=(-1,))  # ! remat-negative-static
placed = nn.remat(Block, True, True, False, True, (-1,))  # ! remat-negative-static

refused = nn.remat(Block, static_argnums=[-1])  # JAX says so itself: no lists
counted = nn.remat(Block, static_argnums=(3,))
last_by_trial = nn.remat(Block, static_argnums=(-2,))
all_by_trial = nn.remat(Block, static_argnums=(-1, -2, -3))
chosen = nn.remat(Block, static_argnums=SECOND)
none = nn.remat(Block, static_argnums=())
plain = nn.remat(Block)
of_jax = jax.checkpoint(lambda x, train: x, static_argnums=(-1,))
of_nnx = nnx.remat(lambda x, train: x, static_argnums=(-1,))
jitted = jax.jit(lambda x, n: x * n, static_argnums=(-1,))


class Decorated(nn.Module):
    @partial(nn.remat, static_argnums=(-1,))  # ! remat-negative-static
    @nn.compact
    def __call__(self, x, train):
        return x if train else -x


class DecoratedByPosition(nn.Module):
    @functools.partial(nn.remat, static_argnums=(2,))
    @nn.compact
    def __call__(self, x, train):
        return x if train else -x


def by_a_name_from_outside(layer):
    return nn.remat(layer, static_argnums=LAST)  # ! remat-negative-static


def maker(layer, remat_policy, scanned):
    if remat_policy != "none":
        layer = nn.remat(
            layer,
            prevent_cse=not scanned,
            static_argnums=(-1,),  # ! remat-negative-static
        )
    return layer


def told(layer, numbers):
    return nn.remat(layer, static_argnums=numbers)


def test_fails():
    with pytest.raises(jax.errors.TracerBoolConversionError):
        nn.remat(Block, static_argnums=(-1,))().init(jax.random.key(0), 1.0, 1.0, True)


class Own:
    def remat(self, layer, static_argnums):
        return layer


owned = Own().remat(Block, static_argnums=(-1,))
