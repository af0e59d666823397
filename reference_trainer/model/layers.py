"""The layers: nnx modules that define parameters, around pure functions that compute.

Wrong: softmax, norms and decays in the compute type: bfloat16 has 8 bits, sums in it lose the small
terms. Right: matrices multiply in `compute.dtype`; softmax, norms, steps, decays and every sum are
float32, and so are the parameters, always: they are cast where they are used.

Each layer has two forms of one computation: over whole rows (`__call__`, for training) and over
one step with a carried state (`step`, for sampling). A test holds them equal.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx

from reference_trainer.config import Config
from reference_trainer.model import attention, ssm
from reference_trainer.model.parts import Linear, Norm
from reference_trainer.precision import aligned

Carry = Any  # what a layer remembers between two steps


class Rows(NamedTuple):
    """What every layer must know about the rows, besides their values."""

    segments_BT: jax.Array
    positions_BT: jax.Array
    packed: bool  # a row may hold more than one document


class Attention(nnx.Module):
    """Causal attention within documents, with rotary positions."""

    def __init__(self, config: Config, *, rngs: nnx.Rngs):
        width = config.model.width
        self.config = config
        self.qkv = Linear(width, 3 * width, config, rngs=rngs)
        self.out = Linear(width, width, config, rngs=rngs, scale=_residual(config))

    def __call__(self, x_BTD: jax.Array, rows: Rows) -> jax.Array:
        compute, model = self.config.compute, self.config.model
        q_BTHK, k_BTHK, v_BTHK = self._heads(x_BTD)
        mixed_BTHK = attention.attend(
            attention.rotate(q_BTHK, rows.positions_BT),
            attention.rotate(k_BTHK, rows.positions_BT),
            v_BTHK,
            rows.segments_BT,
            kind=compute.attention,
            window=model.window,
            chunk=compute.chunk,
            packed=rows.packed,
        )
        return self.out(mixed_BTHK.reshape(x_BTD.shape))

    def carry(self, rows: int, length: int, dtype: Any) -> attention.Cache:
        shape = (rows, self._count, length, self.config.model.head_width)
        return attention.Cache(jnp.zeros(shape, dtype), jnp.zeros(shape, dtype))

    def step(
        self, x_BD: jax.Array, carry: attention.Cache, position: jax.Array
    ) -> tuple[jax.Array, attention.Cache]:
        x_B1D = x_BD[:, None]
        where_B1 = jnp.broadcast_to(position, x_B1D.shape[:2])
        q, k, v = self._heads(x_B1D)
        q, k = attention.rotate(q, where_B1), attention.rotate(k, where_B1)
        mixed_BHK, carry = attention.attend_one(
            q[:, 0], k[:, 0], v[:, 0], carry, position, window=self.config.model.window
        )
        return self.out(mixed_BHK.reshape(x_BD.shape)), carry

    @property
    def _count(self) -> int:
        return self.config.model.width // self.config.model.head_width

    def _heads(self, x_BTD: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        shape = (*x_BTD.shape[:2], 3, self._count, self.config.model.head_width)
        qkv = self.qkv(x_BTD).reshape(shape)
        return qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]


class Mlp(nnx.Module):
    """Two matrices around a GELU."""

    def __init__(self, config: Config, *, rngs: nnx.Rngs):
        width, hidden = config.model.width, config.model.mlp * config.model.width
        self.up = Linear(width, hidden, config, rngs=rngs)
        self.down = Linear(hidden, width, config, rngs=rngs, scale=_residual(config))

    def __call__(self, x_BTD: jax.Array) -> jax.Array:
        return self.down(jax.nn.gelu(self.up(x_BTD)))


class SsmCarry(NamedTuple):
    """What a state space layer remembers: the last inputs of its convolution, and its state."""

    recent_BWD: jax.Array
    state_BHPN: jax.Array


class Ssm(nnx.Module):
    """A Mamba-2 layer: short convolution, state space, gate. Dao and Gu, arXiv:2405.21060."""

    def __init__(self, config: Config, *, rngs: nnx.Rngs):
        model = config.model
        self.config = config
        self.inner = 2 * model.width
        self.count = self.inner // model.head_width
        mixed = self.inner + 2 * model.state  # what goes through the convolution
        columns = aligned(split_columns(config))  # the last few, if any, are not read
        self.into = Linear(model.width, columns, config, rngs=rngs)
        self.out = Linear(self.inner, model.width, config, rngs=rngs, scale=_residual(config))
        kernel = nnx.initializers.normal(model.conv**-0.5)
        self.conv_WD = nnx.Param(kernel(rngs.params(), (model.conv, mixed), jnp.float32))
        # Steps from 0.001 to 0.1 and decays from 1 to 16, as in the paper's code.
        step_H = jnp.geomspace(1e-3, 1e-1, self.count)
        self.step_bias_H = nnx.Param(jnp.log(jnp.expm1(step_H)))
        self.log_rate_H = nnx.Param(jnp.log(jnp.linspace(1.0, 16.0, self.count)))
        self.skip_H = nnx.Param(jnp.ones(self.count))
        self.norm = Norm(self.inner)

    def __call__(self, x_BTD: jax.Array, rows: Rows) -> jax.Array:
        gate_BTE, mixed, steps_BTH = self._split(self.into(x_BTD))
        mixed = jax.nn.silu(ssm.convolve(mixed, self.conv_WD[...], rows.segments_BT))
        x_BTHP, b_BTN, c_BTN = self._parts(mixed)
        steps_BTH, log_decay_BTH = self._discretised(steps_BTH)
        y_BTHP, _ = ssm.ssd(
            _scaled(x_BTHP, steps_BTH),
            log_decay_BTH,
            b_BTN,
            c_BTN,
            rows.positions_BT == 0,
            self._state(x_BTD.shape[0]),
            chunk=self.config.compute.ssm_chunk,
        )
        return self._gated(y_BTHP, x_BTHP, gate_BTE)

    def carry(self, rows: int, length: int, dtype: Any) -> SsmCarry:
        del length  # the state has one size however long the row
        mixed = self.inner + 2 * self.config.model.state
        recent_BWD = jnp.zeros((rows, self.config.model.conv - 1, mixed), dtype)
        return SsmCarry(recent_BWD, self._state(rows))

    def step(
        self, x_BD: jax.Array, carry: SsmCarry, position: jax.Array
    ) -> tuple[jax.Array, SsmCarry]:
        del position  # the carried state holds all of the past
        gate_BE, mixed, steps_BH = self._split(self.into(x_BD))
        mixed, recent_BWD = ssm.convolve_one(mixed, self.conv_WD[...], carry.recent_BWD)
        x_BHP, b_BN, c_BN = self._parts(jax.nn.silu(mixed))
        steps_BH, log_decay_BH = self._discretised(steps_BH)
        y_BHP, state_BHPN = ssm.ssd_step(
            _scaled(x_BHP, steps_BH), log_decay_BH, b_BN, c_BN, carry.state_BHPN
        )
        return self._gated(y_BHP, x_BHP, gate_BE), SsmCarry(recent_BWD, state_BHPN)

    def _state(self, rows: int) -> jax.Array:
        model = self.config.model
        return jnp.zeros((rows, self.count, model.head_width, model.state), jnp.float32)

    def _split(self, x: jax.Array) -> list[jax.Array]:
        steps = 2 * self.inner + 2 * self.config.model.state  # where they begin
        return jnp.split(x, [self.inner, steps, steps + self.count], axis=-1)[:3]

    def _parts(self, mixed: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        state = self.config.model.state
        x, b, c = jnp.split(mixed, [self.inner, self.inner + state], axis=-1)
        return x.reshape(*x.shape[:-1], self.count, -1), b, c

    def _discretised(self, steps: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Step sizes and log-decays, in float32: a decay of 0.999 is 1 in bfloat16."""
        steps = jax.nn.softplus(steps.astype(jnp.float32) + self.step_bias_H[...])
        return steps, -steps * jnp.exp(self.log_rate_H[...])

    def _gated(self, y: jax.Array, x: jax.Array, gate: jax.Array) -> jax.Array:
        y = y + (x * self.skip_H[...][:, None]).astype(y.dtype)
        return self.out(self.norm(y.reshape(gate.shape) * jax.nn.silu(gate)))


class Block(nnx.Module):
    """One layer of the stack: a mixer over steps and, after attention, an MLP."""

    def __init__(self, config: Config, kind: str, *, rngs: nnx.Rngs):
        self.norm = Norm(config.model.width)
        self.mixer = {"attention": Attention, "ssm": Ssm}[kind](config, rngs=rngs)
        self.dropout = nnx.Dropout(config.model.dropout)
        if kind == "attention":
            self.mlp_norm = Norm(config.model.width)
        self.mlp = Mlp(config, rngs=rngs) if kind == "attention" else None

    def __call__(self, x_BTD: jax.Array, rows: Rows, key: jax.Array | None) -> jax.Array:
        """Dropout where there is a key; none without."""
        keys = (None, None) if key is None else jax.random.split(key)
        x_BTD = x_BTD + self._dropped(self.mixer(self.norm(x_BTD), rows), keys[0])
        if self.mlp is not None:
            x_BTD = x_BTD + self._dropped(self.mlp(self.mlp_norm(x_BTD)), keys[1])
        return x_BTD

    def step(self, x_BD: jax.Array, carry: Carry, position: jax.Array) -> tuple[jax.Array, Carry]:
        mixed_BD, carry = self.mixer.step(self.norm(x_BD), carry, position)
        x_BD = x_BD + mixed_BD
        if self.mlp is not None:
            x_BD = x_BD + self.mlp(self.mlp_norm(x_BD))
        return x_BD, carry

    def _dropped(self, x: jax.Array, key: jax.Array | None) -> jax.Array:
        return self.dropout(x, deterministic=key is None, rngs=key)


def split_columns(config: Config) -> int:
    """What a state space layer makes of each step: gate, input, B, C and step sizes, in columns."""
    inner = 2 * config.model.width
    return 2 * inner + 2 * config.model.state + inner // config.model.head_width


def _residual(config: Config) -> float:
    """Smaller weights where layers add up, so that the sum keeps its size with any depth."""
    return (2 * config.model.depth) ** -0.5


def _scaled(x: jax.Array, steps: jax.Array) -> jax.Array:
    return (x * steps[..., None]).astype(x.dtype)
