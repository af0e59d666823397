"""The model one step at a time, with a state that is carried on: for sampling and for playing.

Wrong: calling the training forward pass on a text that grows by one each time. Right: the cost of a
step does not depend on how many came before, and one program serves all of them. The computation
is the one of the layers, over the same parameters; a test holds the two equal.

Axes as in `model/attention.py` and `extras/mamba.py`.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import jax
import jax.numpy as jnp
from flax import nnx
from jax import lax

from reference_trainer.config import Config
from reference_trainer.extras.mamba import Ssm, scaled
from reference_trainer.model import backbone
from reference_trainer.model.attention import MASKED, rotate
from reference_trainer.model.backbone import Params
from reference_trainer.model.layers import Attention, Block
from reference_trainer.model.parts import normed
from reference_trainer.precision import einsum32
from reference_trainer.run.layout import unstack


class Cache(NamedTuple):
    """The keys and values of the steps so far, in arrays of a fixed size.

    Heads come before steps: the products go over the steps of each head, and would copy the whole
    cache to bring it into this order, at every step.
    """

    k_BHSK: jax.Array
    v_BHSK: jax.Array


class SsmCarry(NamedTuple):
    """What a state space layer remembers: the last inputs of its convolution, and its state."""

    recent_BWD: jax.Array
    state_BHPN: jax.Array


Carry = Cache | SsmCarry  # what a layer remembers between two steps


def start(config: Config, rows: int, length: int) -> list[Carry]:
    """The state of all layers before the first of `length` steps."""
    kinds = backbone.kinds(config) * (config.model.depth // len(backbone.kinds(config)))
    # Each layer has arrays of its own, as all of them are donated.
    return [_empty(kind, config, rows, length) for kind in kinds]


def step(
    params: Params, inputs_BF: jax.Array, carry: list[Carry], position: jax.Array, config: Config
) -> tuple[jax.Array, list[Carry]]:
    """One step of every row: (x_BD, the carry for the next step); `position` counts from 0."""
    x_BD, after = backbone.embedded(params, inputs_BF, config), []
    groups = params["layers"]
    groups = unstack(groups) if backbone.scanned(config) else groups
    layers = [(kind, g[str(i)]) for g in groups for i, kind in enumerate(backbone.kinds(config))]
    for (kind, weights), before in zip(layers, carry, strict=True):
        block: Block = nnx.merge(backbone.definition(config, kind), weights)
        normed_BD = block.norm(x_BD)
        if kind == "attention":
            mixer, cache = cast(Attention, block.mixer), cast(Cache, before)
            mixed_BD, now = _attention(mixer, normed_BD, cache, position)
        else:
            mixed_BD, now = _ssm(cast(Ssm, block.mixer), normed_BD, cast(SsmCarry, before))
        x_BD = x_BD + mixed_BD
        if block.mlp is not None:
            x_BD = x_BD + block.mlp(block.mlp_norm(x_BD))
        after.append(now)
    return normed(x_BD, params["norm"]["scale"]), after


def attend_one(
    q_BHK: jax.Array,
    k_BHK: jax.Array,
    v_BHK: jax.Array,
    cache: Cache,
    position: jax.Array,
    *,
    window: int,
) -> tuple[jax.Array, Cache]:
    """One step of `attend` for rows of one document, all at the same position.

    It must be within the cache: past the end, JAX writes over the last step without a word.
    """
    k_BHSK = lax.dynamic_update_slice_in_dim(cache.k_BHSK, k_BHK[:, :, None], position, axis=2)
    v_BHSK = lax.dynamic_update_slice_in_dim(cache.v_BHSK, v_BHK[:, :, None], position, axis=2)
    back_S = position - jnp.arange(k_BHSK.shape[2])
    seen_S = (back_S >= 0) & (back_S <= window) if window else back_S >= 0
    scores_BHS = einsum32("BHK,BHSK->BHS", q_BHK, k_BHSK) * q_BHK.shape[-1] ** -0.5
    weights_BHS = jax.nn.softmax(jnp.where(seen_S, scores_BHS, MASKED), axis=-1)
    out_BHK = einsum32("BHS,BHSK->BHK", weights_BHS.astype(q_BHK.dtype), v_BHSK)
    return out_BHK.astype(q_BHK.dtype), Cache(k_BHSK, v_BHSK)


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


def convolve_one(
    x_BD: jax.Array, kernel_WD: jax.Array, recent_BVD: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """One step of `convolve`, and the V = W - 1 inputs before the next one (at first: zeros)."""
    inputs_BWD = jnp.concatenate([recent_BVD, x_BD[:, None]], axis=1)
    out_BD = jnp.sum(inputs_BWD * kernel_WD, axis=1)
    return out_BD.astype(x_BD.dtype), inputs_BWD[:, 1:]


def _empty(kind: str, config: Config, rows: int, length: int) -> Carry:
    model, dtype = config.model, jnp.dtype(config.compute.dtype)
    if kind == "attention":
        shape = (rows, model.width // model.head_width, length, model.head_width)
        return Cache(jnp.zeros(shape, dtype), jnp.zeros(shape, dtype))
    inner = 2 * model.width
    state = (rows, inner // model.head_width, model.head_width, model.state)
    recent = (rows, model.conv - 1, inner + 2 * model.state)
    return SsmCarry(jnp.zeros(recent, dtype), jnp.zeros(state, jnp.float32))


def _attention(
    mixer: Attention, x_BD: jax.Array, cache: Cache, position: jax.Array
) -> tuple[jax.Array, Cache]:
    x_B1D = x_BD[:, None]
    where_B1 = jnp.broadcast_to(position, x_B1D.shape[:2])
    q, k, v = mixer.heads(x_B1D)
    q, k, window = rotate(q, where_B1), rotate(k, where_B1), mixer.config.model.window
    mixed_BHK, cache = attend_one(q[:, 0], k[:, 0], v[:, 0], cache, position, window=window)
    return mixer.out(mixed_BHK.reshape(x_BD.shape)), cache


def _ssm(mixer: Ssm, x_BD: jax.Array, carry: SsmCarry) -> tuple[jax.Array, SsmCarry]:
    gate_BE, mixed, steps_BH = mixer.split(mixer.into(x_BD))
    mixed, recent_BWD = convolve_one(mixed, mixer.conv_WD[...], carry.recent_BWD)
    x_BHP, b_BN, c_BN = mixer.parts(jax.nn.silu(mixed))
    steps_BH, log_decay_BH = mixer.discretised(steps_BH)
    y_BHP, state_BHPN = ssd_step(
        scaled(x_BHP, steps_BH), log_decay_BH, b_BN, c_BN, carry.state_BHPN
    )
    return mixer.gated(y_BHP, x_BHP, gate_BE), SsmCarry(recent_BWD, state_BHPN)
