"""Whether a fast attention kernel can run here, found out before training.

Wrong: to take the fast kernel for granted, and die in the first step; or to catch its error and go
on slowly without a word. Right: one small trial before training, and a reason that is printed.
(gotchas: silent-cpu-fallback)
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp

from reference_trainer.config import Config
from reference_trainer.extras.packed import BLOCK
from reference_trainer.model.layers import attend

NAMES = {"cudnn": "cuDNN attention", "packed": "packed attention"}


def fitting_attention(config: Config) -> tuple[Config, str]:
    """With the attention that works here, and why it is not the one that was requested."""
    if not (reason := refusal(config)):
        return config, ""
    return config.replace(compute={"attention": "xla"}), f"attention: xla, because {reason}"


def refusal(config: Config) -> str:
    """Why the requested attention cannot run here, on rows of this length; empty where it can."""
    compute, length = config.compute, config.data.length
    kind, width, backend = compute.attention, config.model.head_width, jax.default_backend()
    if kind not in NAMES:
        return ""
    name = NAMES[kind]
    if backend != "gpu":
        return f"{name} needs a GPU, and JAX runs on the {backend}"
    if kind == "cudnn" and compute.dtype == "float32":
        return f"{name} computes in bfloat16 or float16, not in float32"
    if kind == "cudnn" and width % 8:
        return f"{name} needs a head width that is a multiple of 8, not {width}"
    if kind == "packed" and (width < 16 or width & (width - 1)):
        return f"{name} needs a head width of 16, 32, 64 or 128, not {width}"
    if kind == "packed" and (length % BLOCK or config.data.batching != "pack"):
        return f"{name} needs data.batching=pack and a data.length that is a multiple of {BLOCK}"
    x_BTHK = jnp.ones((2, length, 2, width), compute.dtype)
    try:
        jax.block_until_ready(_trial(x_BTHK, jnp.ones((2, length), jnp.int32), config))
    except Exception as error:  # each version of JAX and cuDNN refuses with a type of its own
        lines = str(error).strip().splitlines()
        return f"{name} failed in a trial: {lines[0] if lines else type(error).__name__}"
    return ""


@functools.partial(jax.jit, static_argnames="config")
def _trial(x_BTHK: jax.Array, segments_BT: jax.Array, config: Config) -> jax.Array:
    """A gradient: the kernel of the backward pass has limits of its own, as windows have."""

    def loss(x_BTHK: jax.Array) -> jax.Array:
        out_BTHK = attend(
            x_BTHK,
            x_BTHK,
            x_BTHK,
            segments_BT,
            kind=config.compute.attention,
            window=config.model.window,
            chunk=config.compute.chunk,
            packed=config.data.batching == "pack",
        )
        return jnp.sum(out_BTHK.astype(jnp.float32))

    return jax.grad(loss)(x_BTHK)
