"""Lists are allocated on the host; the jitted update always has neighbours, whatever their name."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax


class Neighbours(NamedTuple):
    idx: jax.Array
    at: jax.Array
    most: int
    update: Callable


def neighbour_functions(cutoff):
    def neighbour_list(position, neighbours=None):
        def found(position, most=None):
            near = jnp.abs(position[:, None] - position[None]) < cutoff
            if most is None:
                most = int(near.sum())
            pairs = jnp.argwhere(near, size=most, fill_value=0)
            return Neighbours(pairs, position, most, neighbour_list)

        nbrs = neighbours
        if nbrs is None:
            return found(position)
        found = partial(found, most=nbrs.most)
        moved = jnp.any(jnp.abs(position - nbrs.at) > cutoff / 2)
        return lax.cond(moved, found, lambda _: nbrs, position)

    def allocate(position):
        return neighbour_list(position)

    @jax.jit
    def update(position, neighbours):
        return neighbour_list(position, neighbours)

    return allocate, update
