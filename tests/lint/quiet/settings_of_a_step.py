"""A step whose settings come to `scan` in one dictionary, bound by `partial`."""

import functools
from typing import NamedTuple

import haiku as hk
import jax
import jax.numpy as jnp


class Carry(NamedTuple):
    hidden: jax.Array


class Net(hk.Module):
    def _step(
        self,
        carry: Carry,
        i: int,
        inputs: list,
        train: bool,
        width: int,
        first: bool,
        keep: bool,
    ):
        if train and not first:
            mask = jax.random.bernoulli(hk.next_rng_key(), 0.5, (width,))
            carry = carry._replace(hidden=carry.hidden * mask)
        hidden = hk.Linear(width)(carry.hidden) + inputs[0][i]
        return Carry(hidden), hidden if keep else None

    def __call__(self, features: list, train: bool, keep: bool):
        width = features[0].shape[-1]
        common = dict(inputs=features, train=train, width=width, keep=keep)
        carry, _ = self._step(Carry(jnp.zeros(width)), i=0, first=True, **common)
        step = functools.partial(self._step, first=False, **common)
        return hk.scan(step, carry, jnp.arange(3) + 1)
