"""Causal attention within documents: four ways to compute the same values.

Wrong: a mask made outside of the step (T * T numbers in the program); none between the documents
of a row; -inf for what is masked (a query with nothing else is NaN, and then all gradients are).
Right: the mask is compared inside of the step from counters and the documents' numbers, masked
scores are finite. (gotchas: large-constant-captured, non-finite-value)

`xla` keeps T * T scores per head for the backward pass, `cudnn` is flash attention. In `extras/`:
`chunked` computes a few queries at a time, and again on the way back; `packed` is flash attention
that skips the blocks of other documents.

Axes: B rows, T steps, S steps seen, H heads, K head width.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from reference_trainer.precision import einsum32

MASKED = -1e30
ATTENTION = "attention"  # for `compute.remat`


class Queries(NamedTuple):
    """Consecutive steps that look back, from the `first` place in the row."""

    q_BTHK: jax.Array
    segments_BT: jax.Array
    first: int | jax.Array


class Keys(NamedTuple):
    """Consecutive steps that are seen."""

    k_BSHK: jax.Array
    v_BSHK: jax.Array
    segments_BS: jax.Array
    first: int | jax.Array = 0

    def part(self, first: int | jax.Array, steps: int) -> Keys:
        k_BSHK, v_BSHK, segments_BS = (
            lax.dynamic_slice_in_dim(x, first, steps, axis=1) for x in self[:3]
        )
        return Keys(k_BSHK, v_BSHK, segments_BS, first)


def rotate(x_BTHK: jax.Array, positions_BT: jax.Array) -> jax.Array:
    """Rotary positions; angles in float32, as bfloat16 cannot tell position 256 from 257."""
    half = x_BTHK.shape[-1] // 2
    turns_K = 10_000.0 ** (-lax.iota(jnp.float32, half) / half)
    angles_BT1K = positions_BT[:, :, None, None].astype(jnp.float32) * turns_K
    cos, sin = jnp.cos(angles_BT1K), jnp.sin(angles_BT1K)
    a, b = jnp.split(x_BTHK.astype(jnp.float32), 2, axis=-1)
    return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], -1).astype(x_BTHK.dtype)


def flash(queries: Queries, keys: Keys, window: int, packed: bool) -> jax.Array:
    """cuDNN's kernel. A mask is T * T numbers per row here, and no block is skipped for it."""
    mask_BTS = queries.segments_BT[:, :, None] == keys.segments_BS[:, None, :]
    return jax.nn.dot_product_attention(
        queries.q_BTHK,
        keys.k_BSHK,
        keys.v_BSHK,
        mask=mask_BTS[:, None] if packed else None,
        is_causal=True,
        local_window_size=(window, 0) if window else None,
        implementation="cudnn",
    )


def mixed(queries: Queries, keys: Keys, window: int) -> jax.Array:
    """Scores and softmax in float32; divided last, which is K numbers per query and not S."""
    q_BTHK = queries.q_BTHK
    scaled_BTHK = q_BTHK * q_BTHK.shape[-1] ** -0.5  # K numbers per query; its scores are S
    scores_BHTS = einsum32("BTHK,BSHK->BHTS", scaled_BTHK, keys.k_BSHK)
    # Added and not selected: a selection keeps its mask for the way back, in each layer, and in a
    # scan JAX makes mask and MASKED before the loop, as numbers for each head.
    scores_BHTS += MASKED * ~_mask(queries, keys, window)[:, None]
    # The result does not depend on what is subtracted, so it needs no gradient.
    largest_BHT1 = lax.stop_gradient(jnp.max(scores_BHTS, axis=-1, keepdims=True))
    weights_BHTS = jnp.exp(scores_BHTS - largest_BHT1)
    total_BTH = jnp.moveaxis(jnp.sum(weights_BHTS, axis=-1), 1, 2)
    out_BTHK = einsum32("BHTS,BSHK->BTHK", weights_BHTS.astype(q_BTHK.dtype), keys.v_BSHK)
    return (out_BTHK / total_BTH[..., None]).astype(q_BTHK.dtype)


def _mask(queries: Queries, keys: Keys, window: int) -> jax.Array:
    """Which of the keys each query sees, BTS."""
    shape = (queries.q_BTHK.shape[1], keys.k_BSHK.shape[1])
    # gotcha: shows[large-constant-captured] made on the device, of counters
    query_TS = queries.first + lax.broadcasted_iota(jnp.int32, shape, 0)
    key_TS = keys.first + lax.broadcasted_iota(jnp.int32, shape, 1)
    reach_TS = key_TS <= query_TS
    if window:
        reach_TS &= query_TS - key_TS <= window
    return reach_TS & (queries.segments_BT[:, :, None] == keys.segments_BS[:, None, :])
