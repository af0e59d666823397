"""State space layers in Mamba-2's matrix form (Dao and Gu, arXiv:2405.21060).

Each head carries a state h_PN:  h_t = exp(log_decay_t) * h_(t-1) + x_t b_t^T,  y_t = h_t c_t.

Wrong: a loop over T steps (launch by launch on a GPU), or `lax.associative_scan`, which keeps the
state of every step several times over: the slowest and largest of the three. Right: `ssd`, a loop
over chunks; inside of a chunk all is matrix products, and only the state goes from one to the next.
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
from jax import lax

from reference_trainer.model.chunks import cut, joined
from reference_trainer.precision import einsum32

FORGOTTEN = -25.0  # log-decays below it are raised to it: 1e-11 is nothing to a float32


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


def sequential(
    x_BTHP: jax.Array,
    log_decay_BTH: jax.Array,
    b_BTN: jax.Array,
    c_BTN: jax.Array,
    starts_BT: jax.Array,
    state_BHPN: jax.Array,
) -> tuple[jax.Array, jax.Array]:
    """The same, step by step as it is defined: what `ssd` is tested against."""

    def one(state_BHPN: jax.Array, step: tuple[jax.Array, ...]) -> tuple[jax.Array, jax.Array]:
        x_BHP, log_decay_BH, b_BN, c_BN = step
        y_BHP, state_BHPN = ssd_step(x_BHP, log_decay_BH, b_BN, c_BN, state_BHPN)
        return state_BHPN, y_BHP

    log_decay_BTH = jnp.where(starts_BT[..., None], -jnp.inf, log_decay_BTH)
    steps = tuple(jnp.moveaxis(x, 1, 0) for x in (x_BTHP, log_decay_BTH, b_BTN, c_BTN))
    state_BHPN, y_TBHP = lax.scan(one, state_BHPN, steps)
    return jnp.moveaxis(y_TBHP, 0, 1), state_BHPN


def ssd_step(
    x_BHP: jax.Array,
    log_decay_BH: jax.Array,
    b_BN: jax.Array,
    c_BN: jax.Array,
    state_BHPN: jax.Array,
) -> tuple[jax.Array, jax.Array]:
    """One step, as for sampling; a log-decay of -inf forgets all before it."""
    x_BHP1, b_B11N = x_BHP[..., None].astype(jnp.float32), b_BN[:, None, None].astype(jnp.float32)
    state_BHPN = jnp.exp(log_decay_BH)[..., None, None] * state_BHPN + x_BHP1 * b_B11N
    y_BHP = jnp.einsum("BHPN,BN->BHP", state_BHPN, c_BN.astype(jnp.float32))
    return y_BHP.astype(x_BHP.dtype), state_BHPN


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


def convolve_one(
    x_BD: jax.Array, kernel_WD: jax.Array, recent_BVD: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """One step of `convolve`, and the V = W - 1 inputs before the next one (at first: zeros)."""
    inputs_BWD = jnp.concatenate([recent_BVD, x_BD[:, None]], axis=1)
    out_BD = jnp.sum(inputs_BWD * kernel_WD, axis=1)
    return out_BD.astype(x_BD.dtype), inputs_BWD[:, 1:]


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


def _decays(log_decay_BLH: jax.Array, starts_BL: jax.Array) -> tuple[jax.Array, jax.Array]:
    """How much of step S is left at step L, and of the state before the chunk; 0 is exact."""
    document_BL = jnp.cumsum(starts_BL, axis=1, dtype=jnp.int32)  # 0: begun in an earlier chunk
    # Large terms would blur the sums that later steps subtract. What a start forgets is masked.
    log_decay_BLH = jnp.maximum(log_decay_BLH.astype(jnp.float32), FORGOTTEN)
    log_decay_BLH = jnp.where(starts_BL[..., None], 0.0, log_decay_BLH)
    total_BLH = jnp.cumsum(log_decay_BLH, axis=1)
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
