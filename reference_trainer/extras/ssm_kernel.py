"""The chunks of a state space layer in one kernel, for NVIDIA GPUs, in Pallas; the interpreter runs
it elsewhere, for tests.

Wrong: chunks as matrix products of XLA. Each product is fast, but what lies between two of them, as
large as T * chunk for each head, is written to memory and read again, three times on the way back.
Right: one program for each row and head goes through the chunks with the state in registers. It
reads x, b and c as they lie, and writes y, and the state before each chunk for the way back.

Axes: as in `mamba`, with B rows, T steps, H heads, P channels of a head, N state, L and S steps in
a chunk, C chunks. Sums and states are float32; products multiply the type of x.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton

Ref = Any  # of Pallas: memory that a kernel reads or writes


@functools.partial(jax.custom_vjp, nondiff_argnums=(5,))
def mixed(
    x_BTHP: jax.Array,
    total_BHT: jax.Array,
    b_BTN: jax.Array,
    c_BTN: jax.Array,
    document_BT: jax.Array,
    chunk: int,
) -> jax.Array:
    """The outputs of `mamba.ssd`, BTHP, from a state of zero; T is a multiple of `chunk`.

    `total`: the sum of log-decays from the start of the chunk to this step. `document`: how many
    documents began in the chunk so far; what lies before the first of them is 0.
    """
    return _forward(x_BTHP, total_BHT, b_BTN, c_BTN, document_BT, chunk)[0]


def _forward(
    x_BTHP: jax.Array,
    total_BHT: jax.Array,
    b_BTN: jax.Array,
    c_BTN: jax.Array,
    document_BT: jax.Array,
    chunk: int,
) -> tuple[jax.Array, tuple[jax.Array, ...]]:
    inputs = (x_BTHP, total_BHT, b_BTN, c_BTN, document_BT)
    rows, steps, heads, channels = x_BTHP.shape
    states = (rows, heads, steps // chunk, channels, b_BTN.shape[-1])
    call = _call(_mix, x_BTHP.shape, states)
    y_BTHP, states_BHCPN = call(
        inputs,
        ("x", "total", "b", "b", "document"),
        {"x": (x_BTHP.shape, x_BTHP.dtype), "states": (states, x_BTHP.dtype)},
    )
    return y_BTHP, (*inputs, states_BHCPN)


def _backward(
    chunk: int, saved: tuple[jax.Array, ...], grad_BTHP: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array, None]:
    del chunk  # the states tell
    x_BTHP, total_BHT, b_BTN, _, _, states_BHCPN = saved
    rows, _, heads, _ = x_BTHP.shape
    each = ((rows, heads, *b_BTN.shape[1:]), b_BTN.dtype)
    call = _call(_gradients, x_BTHP.shape, states_BHCPN.shape)
    x_grad, total_grad, b_BHTN, c_BHTN = call(
        (*saved, grad_BTHP),
        ("x", "total", "b", "b", "document", "states", "x"),
        {
            "x": (x_BTHP.shape, x_BTHP.dtype),
            "total": (total_BHT.shape, jnp.float32),
            "b of a head": each,
            "c of a head": each,
        },
    )
    # All heads read the same b and c: their parts are added up here, in float32.
    b_grad, c_grad = (
        jnp.sum(grad_BHTN, axis=1, dtype=jnp.float32).astype(b_BTN.dtype)
        for grad_BHTN in (b_BHTN, c_BHTN)
    )
    return x_grad, total_grad, b_grad, c_grad, None


mixed.defvjp(_forward, _backward)


def _call(kernel: Callable, shape: tuple[int, ...], states: tuple[int, ...]) -> Callable:
    """One program for each head and row; it sees all steps of them."""
    rows, steps, heads, channels = shape
    each = pl.BlockSpec((None, None, steps, states[-1]), lambda h, b: (b, h, 0, 0))
    layouts = {
        "x": pl.BlockSpec((None, steps, None, channels), lambda h, b: (b, 0, h, 0)),
        "total": pl.BlockSpec((None, None, steps), lambda h, b: (b, h, 0)),
        "b": pl.BlockSpec((None, steps, states[-1]), lambda h, b: (b, 0, 0)),
        "document": pl.BlockSpec((None, steps), lambda h, b: (b, 0)),
        "b of a head": each,
        "c of a head": each,
        "states": pl.BlockSpec((None, None, *states[2:]), lambda h, b: (b, h, 0, 0, 0)),
    }

    def run(arrays: tuple, inputs: tuple[str, ...], outputs: dict[str, tuple]) -> Any:
        return pl.pallas_call(
            kernel,
            out_shape=[jax.ShapeDtypeStruct(*output) for output in outputs.values()],
            # Heads first: programs that run at the same time share a row's b and c in the cache.
            grid=(heads, rows),
            in_specs=[layouts[name] for name in inputs],
            out_specs=[layouts[name] for name in outputs],
            compiler_params=triton.CompilerParams(num_warps=4, num_stages=1),
            interpret=jax.default_backend() == "cpu",
            name=f"ssm_{kernel.__name__.strip('_')}",
        )(*arrays)

    return run


class Decays(NamedTuple):
    """How much is left: of step S at step L, of the state before at L, of S at the end, of all."""

    within_LS: jax.Array
    before_L: jax.Array
    to_end_S: jax.Array
    whole: jax.Array


def _decays(total: Ref, document: Ref, i: jax.Array, chunk: int) -> Decays:
    """Of chunk `i`. Nothing is differentiated here: a masked `exp` may overflow before its mask."""
    here, last = _at(i, chunk), (i + 1) * chunk - 1
    total_L, document_L = total[here], document[here]
    total_end, document_end = total[last], document[last]
    shape = (chunk, chunk)
    row_LS, column_LS = (lax.broadcasted_iota(jnp.int32, shape, axis) for axis in (0, 1))
    seen_LS = (row_LS >= column_LS) & (document_L[:, None] == document_L[None, :])
    return Decays(
        jnp.where(seen_LS, jnp.exp(total_L[:, None] - total_L[None, :]), 0.0),
        jnp.where(document_L == 0, jnp.exp(total_L), 0.0),
        jnp.where(document_L == document_end, jnp.exp(total_end - total_L), 0.0),
        jnp.where(document_end == 0, jnp.exp(total_end), 0.0),
    )


def _mix(x: Ref, total: Ref, b: Ref, c: Ref, document: Ref, y: Ref, states: Ref) -> None:
    """One head of one row: chunk after chunk, with the state carried."""
    chunks, channels, state = states.shape
    chunk = x.shape[0] // chunks

    def one(i: jax.Array, state_PN: jax.Array) -> jax.Array:
        here, decays = _at(i, chunk), _decays(total, document, i, chunk)
        x_SP, b_SN, c_LN = x[here], b[here], c[here]
        states[i] = state_PN.astype(states.dtype)
        mixed_LS = decays.within_LS * triton.dot(c_LN, b_SN, trans_b=True)
        y_LP = triton.dot(mixed_LS.astype(x.dtype), x_SP)
        old_LP = triton.dot(c_LN, state_PN.astype(c.dtype), trans_b=True)
        y[here] = (y_LP + old_LP * decays.before_L[:, None]).astype(y.dtype)
        left_SP = (x_SP * decays.to_end_S[:, None]).astype(x.dtype)
        return state_PN * decays.whole + triton.dot(left_SP, b_SN, trans_a=True)

    lax.fori_loop(0, chunks, one, jnp.zeros((channels, state), jnp.float32))


def _gradients(
    x: Ref, total: Ref, b: Ref, c: Ref, document: Ref, states: Ref, grad: Ref,
    x_out: Ref, total_out: Ref, b_out: Ref, c_out: Ref,
) -> None:  # fmt: skip
    """The same from the last chunk to the first, with the gradient of the state carried."""
    chunks, channels, state = states.shape
    chunk = x.shape[0] // chunks

    def one(k: jax.Array, grad_PN: jax.Array) -> jax.Array:
        i = chunks - 1 - k
        here, decays = _at(i, chunk), _decays(total, document, i, chunk)
        x_SP, b_SN, c_LN, grad_LP, state_PN = x[here], b[here], c[here], grad[here], states[i]
        narrow_PN = grad_PN.astype(x.dtype)
        mixed_LS = decays.within_LS * triton.dot(c_LN, b_SN, trans_b=True)
        mixed_grad_LS = triton.dot(grad_LP, x_SP, trans_b=True)
        scores_LS = (decays.within_LS * mixed_grad_LS).astype(x.dtype)
        by_step_LS = mixed_LS * mixed_grad_LS

        x_SP_grad = triton.dot(mixed_LS.astype(x.dtype), grad_LP, trans_a=True)
        added_SP = triton.dot(b_SN, narrow_PN, trans_b=True) * decays.to_end_S[:, None]
        x_out[here] = (x_SP_grad + added_SP).astype(x_out.dtype)

        old_LN = triton.dot(grad_LP, state_PN) * decays.before_L[:, None]
        c_out[here] = (triton.dot(scores_LS, b_SN) + old_LN).astype(c_out.dtype)
        new_SN = triton.dot(x_SP, narrow_PN) * decays.to_end_S[:, None]
        b_out[here] = (triton.dot(scores_LS, c_LN, trans_a=True) + new_SN).astype(b_out.dtype)

        # A larger sum at L decays less before it, and more of what comes after it, up to the end.
        left_S = jnp.sum(new_SN * b_SN, axis=1)
        total_L = jnp.sum(by_step_LS, axis=1) - jnp.sum(by_step_LS, axis=0) - left_S
        total_L += jnp.sum(old_LN * c_LN, axis=1)
        at_end = jnp.sum(left_S) + decays.whole * jnp.sum(state_PN * grad_PN)
        is_end_L = lax.broadcasted_iota(jnp.int32, (chunk,), 0) == chunk - 1
        total_out[here] = total_L + jnp.where(is_end_L, at_end, 0.0)

        c_LN = (c_LN * decays.before_L[:, None]).astype(c.dtype)
        return grad_PN * decays.whole + triton.dot(grad_LP, c_LN, trans_a=True)

    lax.fori_loop(0, chunks, one, jnp.zeros((channels, state), jnp.float32))


def _at(i: jax.Array, chunk: int) -> Any:
    return pl.ds(i * chunk, chunk)
