import typing
from collections.abc import Callable, Sequence
from typing import List, Optional

import flax.linen as nn
import jax
import jax.numpy as jnp


class Block(nn.Module):
    width: int = 8
    depths = List[int]  # ! type-as-default
    Sizes = tuple[int, int]
    act: Callable = nn.gelu

    @nn.compact
    def __call__(self, x, size=List[int], train=False):  # ! type-as-default
        return nn.Dense(self.width)(x)


def of_a_function(x, sizes=tuple[int, int], *, scale=Optional[float]):  # ! type-as-default  # ! type-as-default
    return x.reshape(sizes)


def of_an_array(x, mask=jnp.ndarray):  # ! type-as-default
    return jnp.where(mask, x, 0)


def of_typing(x, names=typing.Sequence):  # ! type-as-default
    return x[names]


def annotated(x, size: type = list[int]):
    return size(x)


def of_a_type(x, dtype=jnp.float32, cast=float, return_type=Optional[int], cls=jax.Array):
    return jnp.asarray(x, dtype), return_type, isinstance(x, cls)


def meant(x, sizes: Sequence[int], hint=None):
    return x.reshape(sizes)


class Settings:
    sizes = list[int]
