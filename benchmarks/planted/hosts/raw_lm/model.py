"""The model: parameters in a dict, layers stacked for a scan."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

Params = dict[str, Any]

VOCABULARY = 32


def init(key: jax.Array, width: int, depth: int) -> Params:
    """Random parameters."""
    embed_key, layer_key, out_key = jax.random.split(key, 3)
    return {
        "embed": 0.1 * jax.random.normal(embed_key, (VOCABULARY, width)),
        "layers": {
            "kernel": jax.random.normal(layer_key, (depth, width, width)) / width**0.5,
            "bias": jnp.zeros((depth, width)),
        },
        "out": 0.1 * jax.random.normal(out_key, (width, VOCABULARY)),
    }


def context(embedded: jax.Array) -> jax.Array:
    """The mean of all that came before, position by position."""
    counts = jnp.arange(1, embedded.shape[1] + 1)[:, None]
    return jnp.cumsum(embedded, axis=1) / counts


def apply(params: Params, tokens: jax.Array) -> jax.Array:
    """Logits for the next token."""
    x = context(params["embed"][tokens])

    def layer(x: jax.Array, weights: Params) -> tuple[jax.Array, None]:
        return x + jnp.tanh(x @ weights["kernel"] + weights["bias"]), None

    x, _ = jax.lax.scan(layer, x, params["layers"])
    return x @ params["out"]


def next_token_loss(params: Params, tokens: jax.Array) -> jax.Array:
    """Mean loss over the tokens that are not padding."""
    logits = apply(params, tokens[:, :-1])
    targets = tokens[:, 1:]
    log_probs = jax.nn.log_softmax(logits)
    picked = jnp.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]
    mask = (targets > 0).astype(jnp.float32)
    return -jnp.sum(picked * mask) / jnp.maximum(mask.sum(), 1.0)
