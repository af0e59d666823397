"""The layers: nnx modules that define parameters, around pure functions that compute.

Wrong: softmax, norms and decays in the compute type: bfloat16 has 8 bits, sums lose small terms.
Right: matrices multiply in `compute.dtype`; softmax, norms, decays and every sum are float32, and
so are the parameters: they are cast where they are used.

Sampling computes one step at a time over the same parameters: `extras/decode.py`.
"""

from __future__ import annotations

import jax
from flax import nnx
from jax.ad_checkpoint import checkpoint_name

from reference_trainer.config import Config
from reference_trainer.model import attention
from reference_trainer.model.parts import Linear, Norm, Rows, again, residual


class Attention(nnx.Module):
    """Causal attention within documents, with rotary positions."""

    def __init__(self, config: Config, *, rngs: nnx.Rngs):
        width = config.model.width
        self.config = config
        self.qkv = Linear(width, 3 * width, config, rngs=rngs)
        self.out = Linear(width, width, config, rngs=rngs, scale=residual(config))

    def __call__(self, x_BTD: jax.Array, rows: Rows) -> jax.Array:
        compute, model = self.config.compute, self.config.model
        q_BTHK, k_BTHK, v_BTHK = self.heads(x_BTD)
        mixed_BTHK = attend(
            attention.rotate(q_BTHK, rows.positions_BT),
            attention.rotate(k_BTHK, rows.positions_BT),
            v_BTHK,
            rows.segments_BT,
            kind=compute.attention,
            window=model.window,
            chunk=compute.chunk,
            packed=rows.packed,
        )
        return self.out(mixed_BTHK.reshape(x_BTD.shape))

    def heads(self, x_BTD: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Queries, keys and values, BTHK each."""
        shape = (*x_BTD.shape[:2], 3, -1, self.config.model.head_width)
        qkv = self.qkv(x_BTD).reshape(shape)
        return qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]


def attend(
    q_BTHK: jax.Array,
    k_BTHK: jax.Array,
    v_BTHK: jax.Array,
    segments_BT: jax.Array,
    *,
    kind: str,
    window: int,
    chunk: int,
    packed: bool,
) -> jax.Array:
    """Mix the values of this and earlier steps of the same document, at most `window` back.

    Padding is a document too, so that every step sees at least itself. Rows that are not `packed`
    hold one document with padding on the right: for them causal order alone keeps the two apart.
    """
    queries = attention.Queries(q_BTHK, segments_BT, 0)
    keys = attention.Keys(k_BTHK, v_BTHK, segments_BT)
    if kind == "cudnn":
        return attention.flash(queries, keys, window, packed)
    if kind == "packed":
        from reference_trainer.extras.packed import packed_attention

        return packed_attention(q_BTHK, k_BTHK, v_BTHK, segments_BT, window)
    if kind == "chunked":
        from reference_trainer.extras.chunked import chunked

        return checkpoint_name(chunked(queries, keys, window, chunk), attention.ATTENTION)
    if kind == "xla":
        return checkpoint_name(attention.mixed(queries, keys, window), attention.ATTENTION)
    raise ValueError(f"attention {kind!r}: one of xla, chunked, cudnn, packed")


class Mlp(nnx.Module):
    """Two matrices around a GELU."""

    def __init__(self, config: Config, *, rngs: nnx.Rngs):
        width, hidden = config.model.width, config.model.mlp * config.model.width
        self.up = Linear(width, hidden, config, rngs=rngs)
        self.down = Linear(hidden, width, config, rngs=rngs, scale=residual(config))

    def __call__(self, x_BTD: jax.Array) -> jax.Array:
        return self.down(again(jax.nn.gelu)(self.up(x_BTD)))


class Block(nnx.Module):
    """One layer of the stack: a mixer over steps and, after attention, an MLP."""

    def __init__(self, config: Config, kind: str, *, rngs: nnx.Rngs):
        self.norm = Norm(config.model.width)
        self.dropout = nnx.Dropout(config.model.dropout)
        if kind == "attention":
            self.mixer = Attention(config, rngs=rngs)
            self.mlp_norm = Norm(config.model.width)
            self.mlp = Mlp(config, rngs=rngs)
        else:
            from reference_trainer.extras.mamba import Ssm

            self.mixer, self.mlp = Ssm(config, rngs=rngs), None

    def __call__(self, x_BTD: jax.Array, rows: Rows, key: jax.Array | None) -> jax.Array:
        """Dropout where there is a key; none without."""
        keys = (None, None) if key is None else jax.random.split(key)
        x_BTD = x_BTD + self._dropped(self.mixer(self.norm(x_BTD), rows), keys[0])
        if self.mlp is not None:
            x_BTD = x_BTD + self._dropped(self.mlp(self.mlp_norm(x_BTD)), keys[1])
        return x_BTD

    def _dropped(self, x: jax.Array, key: jax.Array | None) -> jax.Array:
        return self.dropout(x, deterministic=key is None, rngs=key)
