"""Whether a fast kernel can run here, found out before training.

Wrong: to take the fast kernel for granted, and die in the first step; or to catch its error and go
on slowly without a word. Right: one small trial before training, and a reason that is printed.
(gotchas: silent-cpu-fallback)
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp

from reference_trainer import parallel
from reference_trainer.config import Config
from reference_trainer.extras.mamba import fused
from reference_trainer.extras.packed import BLOCK
from reference_trainer.model.layers import attend

NAMES = {"cudnn": "cuDNN attention", "packed": "packed attention"}


def fitting(config: Config) -> tuple[Config, str]:
    """With the kernels that work here, and why some are not those that were requested."""
    reasons = []
    if reason := refusal(config):
        config = config.replace(compute={"attention": "xla"})
        reasons.append(f"attention: xla, because {reason}")
    if reason := ssm_refusal(config):
        config = config.replace(compute={"ssm": "matrices"})
        reasons.append(f"ssm: matrices, because {reason}")
    return config, "; ".join(reasons)


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
    segments_BT = jnp.ones((2, length), jnp.int32)

    def mixed(x_BTHK: jax.Array) -> jax.Array:
        return attend(
            x_BTHK,
            x_BTHK,
            x_BTHK,
            segments_BT,
            kind=kind,
            window=config.model.window,
            chunk=compute.chunk,
            packed=config.data.batching == "pack",
        )

    return _tried(name, mixed, jnp.ones((2, length, 2, width), compute.dtype))


def ssm_refusal(config: Config) -> str:
    """The same for the kernel of the state space layers."""
    compute, model, length = config.compute, config.model, config.data.length
    if compute.ssm != "kernel" or "ssm" not in model.pattern:
        return ""
    name, backend = "the kernel of state space layers", jax.default_backend()
    if backend != "gpu":
        return f"{name} needs a GPU, and JAX runs on the {backend}"
    if compute.dtype == "float32":
        return f"{name} computes in bfloat16, not in float32"
    sizes = {
        "model.head_width": model.head_width,
        "model.state": model.state,
        "compute.ssm_chunk": compute.ssm_chunk,
    }
    for setting, size in sizes.items():
        if not 16 <= size <= 128 or size & (size - 1):
            return f"{name} needs {setting} to be 16, 32, 64 or 128, not {size}"

    def mixed(x_BTHP: jax.Array, b_BTN: jax.Array) -> jax.Array:
        rest = (-jnp.ones(x_BTHP.shape[:3]), b_BTN, b_BTN, jnp.zeros(x_BTHP.shape[:2], bool))
        return fused(x_BTHP, *rest, chunk=compute.ssm_chunk)

    x_BTHP = jnp.ones((2, length, 2, model.head_width), compute.dtype)
    return _tried(name, mixed, x_BTHP, jnp.ones((2, length, model.state), compute.dtype))


def _tried(name: str, trial: Callable[..., jax.Array], *arrays: jax.Array) -> str:
    """Why its gradient failed; empty if it did not. It is tried as a step runs it: by each device.

    The kernel of the backward pass has limits of its own, as windows have.
    """

    def loss(*arrays: jax.Array) -> jax.Array:
        return jnp.sum(trial(*arrays).astype(jnp.float32))

    whole = {"in_specs": parallel.WHOLE, "out_specs": parallel.WHOLE, "check_vma": False}
    each = jax.shard_map(jax.grad(loss), mesh=parallel.device_mesh(), **whole)
    try:
        compiled = jax.jit(each).lower(*arrays).compile()
        jax.block_until_ready(compiled(*arrays))
    except Exception as error:  # each version of JAX and cuDNN refuses with a type of its own
        lines = str(error).strip().splitlines()
        return f"{name} failed in a trial: {lines[0] if lines else type(error).__name__}"
    return ""
