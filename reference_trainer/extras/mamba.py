"""A state space layer in Mamba-2's matrix form (Dao and Gu, arXiv:2405.21060).

Each head carries a state h_PN:  h_t = exp(log_decay_t) * h_(t-1) + x_t b_t^T,  y_t = h_t c_t.

Wrong: a loop over T steps (launch by launch on a GPU), or `lax.associative_scan`, which keeps the
state of every step several times over: the slowest and largest of the three. Right: `ssd`, a loop
over chunks; inside of a chunk all is matrix products, and only the state goes from one to the next.
On a GPU `fused`, which does the same in one kernel: what lies between two products stays on chip.
Decays and their sums are float32. The state starts again with each document: there the steps before
are left out before `exp`, as what `where` drops after it still spoils the gradient.
(gotchas: where-nan-gradient, scan-carry-type)

Axes: B rows, T steps, H heads, P channels of a head, N state, L and S steps in a chunk, C chunks,
D channels of all heads, W reach of the convolution. States are float32 always.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx
from jax import lax

from reference_trainer.config import Config
from reference_trainer.model.parts import Linear, Norm, Rows, again, cut, filled, joined, residual
from reference_trainer.precision import aligned, einsum32

FORGOTTEN = -25.0  # log-decays below it are raised to it: 1e-11 is nothing to a float32


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
        self.out = Linear(self.inner, model.width, config, rngs=rngs, scale=residual(config))
        kernel = nnx.initializers.normal(model.conv**-0.5)
        self.conv_WD = nnx.Param(kernel(rngs.params(), (model.conv, mixed), jnp.float32))
        # Steps from 0.001 to 0.1 and decays from 1 to 16, as in the paper's code.
        step_H = jnp.geomspace(1e-3, 1e-1, self.count)
        self.step_bias_H = nnx.Param(jnp.log(jnp.expm1(step_H)))
        self.log_rate_H = nnx.Param(jnp.log(jnp.linspace(1.0, 16.0, self.count)))
        self.skip_H = nnx.Param(jnp.ones(self.count))
        self.norm = Norm(self.inner)

    def __call__(self, x_BTD: jax.Array, rows: Rows) -> jax.Array:
        gate_BTE, mixed, steps_BTH = self.split(self.into(x_BTD))
        mixed = again(_filtered)(mixed, self.conv_WD[...], rows.segments_BT)
        x_BTHP, b_BTN, c_BTN = self.parts(mixed)
        steps_BTH, log_decay_BTH = self.discretised(steps_BTH)
        scaled_BTHP, starts_BT = again(scaled)(x_BTHP, steps_BTH), rows.positions_BT == 0
        inputs = (scaled_BTHP, log_decay_BTH, b_BTN, c_BTN, starts_BT)
        if self.config.compute.ssm == "kernel":
            y_BTHP = fused(*inputs, chunk=self.config.compute.ssm_chunk)
        else:
            shape = (x_BTD.shape[0], *x_BTHP.shape[2:], b_BTN.shape[-1])
            state_BHPN = jnp.zeros(shape, jnp.float32)
            y_BTHP, _ = ssd(*inputs, state_BHPN, chunk=self.config.compute.ssm_chunk)
        return self.gated(y_BTHP, x_BTHP, gate_BTE)

    def split(self, x: jax.Array) -> list[jax.Array]:
        steps = 2 * self.inner + 2 * self.config.model.state  # where they begin
        return jnp.split(x, [self.inner, steps, steps + self.count], axis=-1)[:3]

    def parts(self, mixed: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        state = self.config.model.state
        x, b, c = jnp.split(mixed, [self.inner, self.inner + state], axis=-1)
        return x.reshape(*x.shape[:-1], self.count, -1), b, c

    def discretised(self, steps: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Step sizes and log-decays, in float32: a decay of 0.999 is 1 in bfloat16."""
        steps = jax.nn.softplus(steps.astype(jnp.float32) + self.step_bias_H[...])
        return steps, -steps * jnp.exp(self.log_rate_H[...])

    def gated(self, y: jax.Array, x: jax.Array, gate: jax.Array) -> jax.Array:
        return self.out(self.norm(again(_gated)(y, x, gate, self.skip_H[...])))


def _filtered(x_BTD: jax.Array, kernel_WD: jax.Array, segments_BT: jax.Array) -> jax.Array:
    return jax.nn.silu(convolve(x_BTD, kernel_WD, segments_BT))


def _gated(y: jax.Array, x: jax.Array, gate: jax.Array, skip_H: jax.Array) -> jax.Array:
    y = y + (x * skip_H[:, None]).astype(y.dtype)
    return y.reshape(gate.shape) * jax.nn.silu(gate)


def split_columns(config: Config) -> int:
    """What a state space layer makes of each step: gate, input, B, C and step sizes, in columns."""
    inner = 2 * config.model.width
    return 2 * inner + 2 * config.model.state + inner // config.model.head_width


def scaled(x: jax.Array, steps: jax.Array) -> jax.Array:
    return (x * steps[..., None]).astype(x.dtype)


class Chunk(NamedTuple):
    """The inputs of some consecutive steps."""

    x_BLHP: jax.Array
    log_decay_BLH: jax.Array
    b_BLN: jax.Array
    c_BLN: jax.Array
    starts_BL: jax.Array


def ssd(
    x_BTHP: jax.Array,
    log_decay_BTH: jax.Array,
    b_BTN: jax.Array,
    c_BTN: jax.Array,
    starts_BT: jax.Array,
    state_BHPN: jax.Array,
    *,
    chunk: int,
) -> tuple[jax.Array, jax.Array]:
    """Outputs and the last state; `starts` is true at the first step of each document.

    Steps that fill up the last chunk neither decay the state nor add to it.
    """
    steps = x_BTHP.shape[1]
    inputs = Chunk(x_BTHP, log_decay_BTH, b_BTN, c_BTN, starts_BT)
    chunks = Chunk(*(cut(x, min(chunk, steps)) for x in inputs))
    # Recomputed on the way back, so that only one chunk's decays are in memory at a time.
    state_BHPN, y_CBLHP = lax.scan(jax.checkpoint(_chunk), state_BHPN, chunks)
    return joined(y_CBLHP, steps), state_BHPN


def fused(
    x_BTHP: jax.Array,
    log_decay_BTH: jax.Array,
    b_BTN: jax.Array,
    c_BTN: jax.Array,
    starts_BT: jax.Array,
    *,
    chunk: int,
) -> jax.Array:
    """The outputs of `ssd` for a state that starts at zero, in one kernel."""
    from reference_trainer.extras.ssm_kernel import mixed

    steps, heads = log_decay_BTH.shape[1:]
    inputs = Chunk(x_BTHP, log_decay_BTH, b_BTN, c_BTN, starts_BT)
    whole = Chunk(*(filled(x, chunk) for x in inputs))
    rows, length = whole.starts_BL.shape
    document, total = _sums(
        whole.log_decay_BLH.reshape(-1, chunk, heads), whole.starts_BL.reshape(-1, chunk)
    )
    total_BHT = jnp.moveaxis(total.reshape(rows, length, heads), 1, 2)
    document_BT = document.reshape(rows, length)
    y: jax.Array = mixed(whole.x_BLHP, total_BHT, whole.b_BLN, whole.c_BLN, document_BT, chunk)
    return y[:, :steps]


def convolve(x_BTD: jax.Array, kernel_WD: jax.Array, segments_BT: jax.Array) -> jax.Array:
    """Each channel's own short filter over this and the W - 1 steps before, in one document.

    W shifted products compile to one pass over memory; a convolution with as many groups as
    channels takes about five times as long on a CPU, with its gradient.
    """
    reach = kernel_WD.shape[0]
    total_BTD = x_BTD * kernel_WD[-1]
    for back in range(1, reach):
        same_BT = _shifted(segments_BT, back) == segments_BT
        earlier_BTD = jnp.where(same_BT[..., None], _shifted(x_BTD, back), 0)
        total_BTD += earlier_BTD * kernel_WD[reach - 1 - back]
    return total_BTD.astype(x_BTD.dtype)


def _chunk(state_BHPN: jax.Array, inputs: Chunk) -> tuple[jax.Array, jax.Array]:
    """The state after a chunk, and its outputs: of its own steps, and of the state before."""
    x_BLHP, log_decay_BLH, b_BLN, c_BLN, starts_BL = inputs
    within_BHLS, before_BLH = _decays(log_decay_BLH, starts_BL)
    mixed_BHLS = within_BHLS * einsum32("BLN,BSN->BLS", c_BLN, b_BLN)[:, None]
    y_BLHP = einsum32("BHLS,BSHP->BLHP", mixed_BHLS.astype(x_BLHP.dtype), x_BLHP)
    old_BLHP = einsum32("BLN,BHPN->BLHP", c_BLN, state_BHPN.astype(c_BLN.dtype))
    y_BLHP += old_BLHP * before_BLH[..., None]

    to_end_BSH1 = jnp.moveaxis(within_BHLS[:, :, -1], 1, 2)[..., None]
    added_BHPN = einsum32("BSHP,BSN->BHPN", (x_BLHP * to_end_BSH1).astype(x_BLHP.dtype), b_BLN)
    state_BHPN = state_BHPN * before_BLH[:, -1, :, None, None] + added_BHPN
    return state_BHPN, y_BLHP.astype(x_BLHP.dtype)


def _sums(log_decay_BLH: jax.Array, starts_BL: jax.Array) -> tuple[jax.Array, jax.Array]:
    """From the start of the chunk to each step: documents that began, and the sum of log-decays."""
    document_BL = jnp.cumsum(starts_BL, axis=1, dtype=jnp.int32)  # 0: begun in an earlier chunk
    # Large terms would blur the sums that later steps subtract. What a start forgets is masked.
    log_decay_BLH = jnp.maximum(log_decay_BLH.astype(jnp.float32), FORGOTTEN)
    log_decay_BLH = jnp.where(starts_BL[..., None], 0.0, log_decay_BLH)
    return document_BL, jnp.cumsum(log_decay_BLH, axis=1)


def _decays(log_decay_BLH: jax.Array, starts_BL: jax.Array) -> tuple[jax.Array, jax.Array]:
    """How much of step S is left at step L, and of the state before the chunk; 0 is exact."""
    document_BL, total_BLH = _sums(log_decay_BLH, starts_BL)
    before_BLH = _masked_exp((document_BL == 0)[..., None], total_BLH)

    steps = document_BL.shape[1]
    earlier_LS = lax.iota(jnp.int32, steps)[:, None] >= lax.iota(jnp.int32, steps)
    seen_BLS = earlier_LS & (document_BL[:, :, None] == document_BL[:, None, :])
    total_BHL = jnp.moveaxis(total_BLH, 1, 2)
    between_BHLS = total_BHL[..., :, None] - total_BHL[..., None, :]
    return _masked_exp(seen_BLS[:, None], between_BHLS), before_BLH


def _masked_exp(mask: jax.Array, x: jax.Array) -> jax.Array:
    """`exp(x)`, and 0 where masked, in value and in gradient, whatever `x` is there."""
    # gotcha: shows[where-nan-gradient] masked before exp: after it, inf * 0 would be NaN
    return jnp.exp(jnp.where(mask, x, -jnp.inf))


def _shifted(x: jax.Array, back: int) -> jax.Array:
    """`x[:, t - back]` at t, with zeros before the start of the row."""
    return jnp.pad(x, [(0, 0), (back, 0)] + [(0, 0)] * (x.ndim - 2))[:, : x.shape[1]]
