"""A dictionary whose annotation names a class that nobody makes."""

import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class DecodeState:
    tokens: jax.Array
    cache: dict


def prefill(tokens) -> DecodeState:
    return {"tokens": tokens, "cache": {}, "position": jnp.zeros((), jnp.int32)}


def insert(prefix: DecodeState, state: DecodeState, slot: int) -> DecodeState:
    tokens = state["tokens"].at[slot].set(prefix["tokens"])
    return {"tokens": tokens, "cache": state["cache"], "position": state["position"]}


class Engine:
    state: DecodeState

    def step(self):
        return self.state["tokens"] + prefill(jnp.zeros(3))["tokens"]
