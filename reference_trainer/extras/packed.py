"""Flash attention for packed rows: blocks that hold only other documents are neither read nor
computed. A kernel for NVIDIA GPUs, in Pallas; the interpreter runs it elsewhere, for tests.

Wrong: a dense mask for the documents of a row. The kernel computes all T * T / 2 scores and throws
most of them away: with ten documents in a row, nine tenths.
Right: documents lie one after another, so that a block of queries sees the keys from the start of
its first document to itself. Two small tables hold where that is, and each loop runs from there.

The arrays are read as they lie, BTHK: nothing is transposed or copied. Scores and sums are float32.
For the backward pass only the output and one number a query are kept.

Axes: B rows, T steps, H heads, K head width, Q queries and S keys of a block, N blocks of a row.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton

from reference_trainer.model.attention import ATTENTION, MASKED

BLOCK = 64  # steps; a row is a multiple of it
Ref = Any  # of Pallas: memory that a kernel reads or writes


@functools.partial(jax.custom_vjp, nondiff_argnums=(4,))
def packed_attention(
    q_BTHK: jax.Array, k_BTHK: jax.Array, v_BTHK: jax.Array, segments_BT: jax.Array, window: int
) -> jax.Array:
    """As `layers.attend`."""
    return _forward(q_BTHK, k_BTHK, v_BTHK, segments_BT, window)[0]


def reach(segments_BT: jax.Array, window: int) -> tuple[jax.Array, jax.Array]:
    """Int32 BN each: the first block of keys that a block of queries sees, and the last block of
    queries that sees a block of keys. No block between is of other documents only.
    """
    rows, steps = segments_BT.shape
    step_BT = lax.broadcasted_iota(jnp.int32, (rows, steps), 1)
    new_BT = jnp.diff(segments_BT, axis=1, prepend=-1) != 0
    last_BT = jnp.diff(segments_BT, axis=1, append=-1) != 0
    start_BT = lax.cummax(jnp.where(new_BT, step_BT, 0), axis=1)
    end_BT = lax.cummin(jnp.where(last_BT, step_BT, steps - 1), axis=1, reverse=True)
    if window:
        start_BT = jnp.maximum(start_BT, step_BT - window)
        end_BT = jnp.minimum(end_BT, step_BT + window)
    return start_BT[:, ::BLOCK] // BLOCK, end_BT[:, BLOCK - 1 :: BLOCK] // BLOCK


def _forward(
    q_BTHK: jax.Array, k_BTHK: jax.Array, v_BTHK: jax.Array, segments_BT: jax.Array, window: int
) -> tuple[jax.Array, tuple[jax.Array, ...]]:
    first_BN, _ = reach(segments_BT, window)
    blocks, _, per_query = _layouts(q_BTHK.shape)
    call = _call(_mix, q_BTHK.shape, window)
    out_BTHK, log_total_BHT = call(
        (first_BN, segments_BT, q_BTHK, k_BTHK, v_BTHK),
        [jax.ShapeDtypeStruct(q_BTHK.shape, q_BTHK.dtype), _numbers(q_BTHK.shape)],
        ("table", "row", "block", "all", "all"),
        [blocks, per_query],
    )
    out_BTHK = checkpoint_name(out_BTHK, ATTENTION)
    log_total_BHT = checkpoint_name(log_total_BHT, ATTENTION)
    return out_BTHK, (q_BTHK, k_BTHK, v_BTHK, segments_BT, out_BTHK, log_total_BHT)


def _backward(
    window: int, saved: tuple[jax.Array, ...], grad_BTHK: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array, None]:
    q_BTHK, k_BTHK, v_BTHK, segments_BT, out_BTHK, log_total_BHT = saved
    first_BN, last_BN = reach(segments_BT, window)
    blocks, _, _ = _layouts(q_BTHK.shape)
    like = jax.ShapeDtypeStruct(q_BTHK.shape, q_BTHK.dtype)
    inner_BHT = jnp.einsum(
        "BTHK,BTHK->BHT", grad_BTHK, out_BTHK, preferred_element_type=jnp.float32
    )
    arrays = (segments_BT, q_BTHK, k_BTHK, v_BTHK, grad_BTHK, log_total_BHT, inner_BHT)
    call = functools.partial(_call, shape=q_BTHK.shape, window=window)
    (q_grad,) = call(_query_gradient)(
        (first_BN, *arrays),
        [like],
        ("table", "row", "block", "all", "all", "block", "number", "number"),
        [blocks],
    )
    k_grad, v_grad = call(_key_gradients)(
        (last_BN, *arrays),
        [like, like],
        ("table", "row", "all", "block", "block", "all", "numbers", "numbers"),
        [blocks, blocks],
    )
    return q_grad, k_grad, v_grad, None


packed_attention.defvjp(_forward, _backward)


def _layouts(shape: tuple[int, ...]) -> tuple[pl.BlockSpec, ...]:
    """What one program of the grid (block, row, head) sees: its block, all steps, numbers."""
    _, steps, _, width = shape
    return (
        pl.BlockSpec((None, BLOCK, None, width), lambda i, b, h: (b, i, h, 0)),
        pl.BlockSpec((None, steps, None, width), lambda i, b, h: (b, 0, h, 0)),
        pl.BlockSpec((None, None, BLOCK), lambda i, b, h: (b, h, i)),
    )


def _call(kernel: Callable, shape: tuple[int, ...], window: int) -> Callable:
    rows, steps, heads, width = shape
    block, everything, number = _layouts(shape)
    layouts = {
        "table": pl.BlockSpec((None, 1), lambda i, b, h: (b, i)),
        "row": pl.BlockSpec((None, steps), lambda i, b, h: (b, 0)),
        "block": block,
        "all": everything,
        "number": number,
        "numbers": pl.BlockSpec((None, None, steps), lambda i, b, h: (b, h, 0)),
    }

    def run(arrays: tuple, results: list, inputs: tuple[str, ...], outputs: list) -> Any:
        return pl.pallas_call(
            functools.partial(kernel, window=window, scale=width**-0.5),
            out_shape=results,
            grid=(steps // BLOCK, rows, heads),
            in_specs=[layouts[name] for name in inputs],
            out_specs=outputs,
            compiler_params=triton.CompilerParams(num_warps=4, num_stages=2),
            interpret=jax.default_backend() == "cpu",
            name=kernel.__name__.strip("_"),
        )(*arrays)

    return run


def _numbers(shape: tuple[int, ...]) -> jax.ShapeDtypeStruct:
    rows, steps, heads, _ = shape
    return jax.ShapeDtypeStruct((rows, heads, steps), jnp.float32)


def _at(block: jax.Array) -> Any:
    return pl.ds(block * BLOCK, BLOCK)


def _seen(segments: Ref, i: jax.Array, j: jax.Array, window: int) -> jax.Array:
    """Which keys of block `j` the queries of block `i` see, QS."""
    ahead_QS = (i * BLOCK + lax.broadcasted_iota(jnp.int32, (BLOCK, BLOCK), 0)) - (
        j * BLOCK + lax.broadcasted_iota(jnp.int32, (BLOCK, BLOCK), 1)
    )
    seen_QS = (ahead_QS >= 0) & (segments[_at(i)][:, None] == segments[_at(j)][None, :])
    return seen_QS & (ahead_QS <= window) if window else seen_QS


def _mix(
    first: Ref, segments: Ref, q: Ref, k: Ref, v: Ref, out: Ref, log_total: Ref,
    *, window: int, scale: float,
) -> None:  # fmt: skip
    """One block of queries: a softmax whose largest score and sum are corrected as it goes on."""
    i, q_QK = pl.program_id(0), q[...]

    def one(j: jax.Array, carry: tuple) -> tuple:
        out_QK, largest_Q, total_Q = carry
        scores_QS = triton.dot(q_QK, k[_at(j)], trans_b=True) * scale
        scores_QS = jnp.where(_seen(segments, i, j, window), scores_QS, MASKED)
        now_Q = jnp.maximum(largest_Q, jnp.max(scores_QS, axis=1))
        weights_QS, kept_Q = jnp.exp(scores_QS - now_Q[:, None]), jnp.exp(largest_Q - now_Q)
        out_QK = out_QK * kept_Q[:, None] + triton.dot(weights_QS.astype(v.dtype), v[_at(j)])
        return out_QK, now_Q, total_Q * kept_Q + jnp.sum(weights_QS, axis=1)

    start = (jnp.zeros(q_QK.shape, jnp.float32), jnp.full(BLOCK, MASKED), jnp.zeros(BLOCK))
    # A query sees itself: its own block, the last one, has a score that is not masked.
    out_QK, largest_Q, total_Q = lax.fori_loop(first[0], i + 1, one, start)
    out[...] = (out_QK / total_Q[:, None]).astype(out.dtype)
    log_total[...] = largest_Q + jnp.log(total_Q)


def _query_gradient(
    first: Ref, segments: Ref, q: Ref, k: Ref, v: Ref, grad: Ref, log_total: Ref, inner: Ref,
    out: Ref, *, window: int, scale: float,
) -> None:  # fmt: skip
    i, q_QK, grad_QK = pl.program_id(0), q[...], grad[...]
    log_total_Q, inner_Q = log_total[...], inner[...]

    def one(j: jax.Array, q_grad_QK: jax.Array) -> jax.Array:
        k_SK = k[_at(j)]
        weights_QS = _weights(q_QK, k_SK, log_total_Q, _seen(segments, i, j, window), scale)
        by_QS = triton.dot(grad_QK, v[_at(j)], trans_b=True) - inner_Q[:, None]
        return q_grad_QK + triton.dot((weights_QS * by_QS).astype(k.dtype), k_SK)

    q_grad_QK = lax.fori_loop(first[0], i + 1, one, jnp.zeros(q_QK.shape, jnp.float32))
    out[...] = (q_grad_QK * scale).astype(out.dtype)


def _key_gradients(
    last: Ref, segments: Ref, q: Ref, k: Ref, v: Ref, grad: Ref, log_total: Ref, inner: Ref,
    k_out: Ref, v_out: Ref, *, window: int, scale: float,
) -> None:  # fmt: skip
    j, k_SK, v_SK = pl.program_id(0), k[...], v[...]

    def one(i: jax.Array, carry: tuple) -> tuple:
        k_grad_SK, v_grad_SK = carry
        q_QK, grad_QK, here = q[_at(i)], grad[_at(i)], _at(i)
        seen_QS = _seen(segments, i, j, window)
        weights_QS = _weights(q_QK, k_SK, log_total[here], seen_QS, scale)
        by_QS = triton.dot(grad_QK, v_SK, trans_b=True) - inner[here][:, None]
        v_grad_SK += triton.dot(weights_QS.astype(q.dtype), grad_QK, trans_a=True)
        k_grad_SK += triton.dot((weights_QS * by_QS).astype(q.dtype), q_QK, trans_a=True)
        return k_grad_SK, v_grad_SK

    zero_SK = jnp.zeros(k_SK.shape, jnp.float32)
    k_grad_SK, v_grad_SK = lax.fori_loop(j, last[0] + 1, one, (zero_SK, zero_SK))
    k_out[...] = (k_grad_SK * scale).astype(k_out.dtype)
    v_out[...] = v_grad_SK.astype(v_out.dtype)


def _weights(
    q_QK: jax.Array, k_SK: jax.Array, log_total_Q: jax.Array, seen_QS: jax.Array, scale: float
) -> jax.Array:
    scores_QS = triton.dot(q_QK, k_SK, trans_b=True) * scale
    return jnp.exp(jnp.where(seen_QS, scores_QS, MASKED) - log_total_Q[:, None])
