"""Attention by cuDNN's flash kernel, and whether it can run here.

Wrong: to take the fast kernel for granted, and die in the first step; or to catch its error and go
on slowly without a word. Right: one small trial before training, and a reason that is printed.
(gotchas: silent-cpu-fallback)
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp


def flash(
    q_BTHK: jax.Array,
    k_BTHK: jax.Array,
    v_BTHK: jax.Array,
    segments_BT: jax.Array,
    *,
    window: int,
    packed: bool,
) -> jax.Array:
    """As `attention.attend`. A mask is T * T numbers per row here, and no block is skipped for it:
    rows that hold one document each are the faster ones."""
    mask_B1TT = (segments_BT[:, :, None] == segments_BT[:, None, :])[:, None] if packed else None
    return jax.nn.dot_product_attention(
        q_BTHK,
        k_BTHK,
        v_BTHK,
        mask=mask_B1TT,
        is_causal=True,
        local_window_size=(window, 0) if window else None,
        implementation="cudnn",
    )


def refusal(dtype: str, head_width: int, *, packed: bool, window: int, length: int) -> str:
    """Why `flash` cannot run here, on rows of this length; empty where it can."""
    backend = jax.default_backend()
    if backend != "gpu":
        return f"cuDNN attention needs a GPU, and JAX runs on the {backend}"
    if dtype == "float32":
        return "cuDNN attention computes in bfloat16 or float16, not in float32"
    if head_width % 8:
        return f"cuDNN attention needs a head width that is a multiple of 8, not {head_width}"
    x_BTHK = jnp.ones((2, length, 2, head_width), dtype)
    segments_BT = jnp.ones((2, length), jnp.int32)
    try:
        jax.block_until_ready(_trial(x_BTHK, segments_BT, packed, window))
    except Exception as error:  # each version of JAX and cuDNN refuses with a type of its own
        return f"cuDNN attention failed in a trial: {_first_line(error)}"
    return ""


@functools.partial(jax.jit, static_argnames=("packed", "window"))
def _trial(x_BTHK: jax.Array, segments_BT: jax.Array, packed: bool, window: int) -> jax.Array:
    """A gradient: the kernel of the backward pass has limits of its own, as windows have."""

    def loss(x_BTHK: jax.Array) -> jax.Array:
        out_BTHK = flash(x_BTHK, x_BTHK, x_BTHK, segments_BT, window=window, packed=packed)
        return jnp.sum(out_BTHK.astype(jnp.float32))

    return jax.grad(loss)(x_BTHK)


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
