"""Layers of Flax's nnx, of Equinox and of Haiku: how many operations a call of one starts."""

from __future__ import annotations

OF_A_LAYER = 4  # operations: a product, the bias in its shape, the sum, and casts
_OF_A_CELL = 12  # two products, four gates and what joins them
_OF_ATTENTION = 20  # four products, the scores, their softmax, shapes between them

_LIBRARIES = ("flax.nnx", "equinox.nn", "haiku")
_CELLS = frozenset(("LSTMCell", "OptimizedLSTMCell", "GRUCell", "LSTM", "GRU", "SimpleCell"))
_ATTENTION = frozenset(("MultiHeadAttention", "MultiheadAttention"))
_PLAIN = frozenset(
    ("Linear", "LinearGeneral", "Conv", "ConvTranspose", "Einsum", "Embed", "Embedding",
     "LayerNorm", "RMSNorm", "GroupNorm", "BatchNorm", "InstanceNorm", "SpectralNorm", "LoRA",
     "LoRALinear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d",
     "ConvTranspose3d", "Conv1D", "Conv2D", "Conv3D", "Conv1DTranspose", "Conv2DTranspose",
     "Conv3DTranspose", "MLP", "Sequential", "PReLU")
)  # fmt: skip


def operations_of(name: str) -> int:
    """Of a call of what this class makes, at least; 0 where it is no layer."""
    library, _, short = name.rpartition(".")
    if library not in _LIBRARIES:
        return 0
    if short in _CELLS:
        return _OF_A_CELL
    return _OF_ATTENTION if short in _ATTENTION else OF_A_LAYER * (short in _PLAIN)


# Their result has the type that they are given (Equinox 0.13), whatever their weights have.
KEEPING = frozenset(f"equinox.nn.{name}" for name in ("LayerNorm", "RMSNorm", "GroupNorm"))

# Layers with weights that `init` computes through, op by op outside of jit: attention is four.
_WEIGHTED = _PLAIN | _CELLS | _ATTENTION | frozenset(
    ("Dense", "DenseGeneral", "SelfAttention", "MultiHeadDotProductAttention", "ConvLocal",
     "ConvLSTMCell", "MGUCell")
)  # fmt: skip
_OF_INIT = ("flax.linen", "haiku")
_FOURFOLD = _ATTENTION | frozenset(("SelfAttention", "MultiHeadDotProductAttention"))


def weighted_layers(name: str) -> int:
    """How many layers with weights a class of linen or Haiku is."""
    library, _, short = name.rpartition(".")
    if library not in _OF_INIT or short not in _WEIGHTED:
        return 0
    return 4 if short in _FOURFOLD else 1


# What a call of a layer gives: "same" shape; the last axis replaced ("last"), added ("ids"), all
# there is ("only": Equinox takes one example), or spatial axes that a kernel changes beside it
# ("conv"). Then which argument of the class says how wide: its position and its name.
_LINEN, _NNX, _EQX = "flax.linen.", "flax.nnx.", "equinox.nn."
_NORMS = ("LayerNorm", "RMSNorm", "GroupNorm")
_OF_FLAX = ("InstanceNorm", "BatchNorm", "Dropout")
SHAPES: dict[str, tuple[str, int, str]] = {
    _LINEN + "Dense": ("last", 0, "features"),
    _LINEN + "Conv": ("conv", 0, "features"),
    _LINEN + "ConvTranspose": ("conv", 0, "features"),
    _LINEN + "Embed": ("ids", 1, "features"),
    _LINEN + "Embed.attend": ("last", 0, "num_embeddings"),
    _NNX + "Linear": ("last", 1, "out_features"),
    _NNX + "Conv": ("conv", 1, "out_features"),
    _NNX + "ConvTranspose": ("conv", 1, "out_features"),
    _NNX + "Embed": ("ids", 1, "features"),
    _NNX + "Embed.attend": ("last", 0, "num_embeddings"),
    _EQX + "Linear": ("only", 1, "out_features"),
    _EQX + "MLP": ("only", 1, "out_size"),
    _EQX + "Embedding": ("ids", 1, "embedding_size"),
    **{_LINEN + name: ("same", -1, "") for name in (*_NORMS, *_OF_FLAX)},
    **{_NNX + name: ("same", -1, "") for name in (*_NORMS, *_OF_FLAX)},
    **{_EQX + name: ("same", -1, "") for name in (*_NORMS, "Dropout")},
}
